declare module "*.md?raw" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: Vite decides the shape of a text module
  export default text;
}

declare module "*.toml?raw" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: Vite decides the shape of a text module
  export default text;
}
