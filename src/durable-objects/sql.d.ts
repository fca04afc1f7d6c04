// Wrangler and Vite hand a migration over as text.
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
