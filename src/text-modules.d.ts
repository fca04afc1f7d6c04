// Wrangler and Vite hand migrations and pages over as text.
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
