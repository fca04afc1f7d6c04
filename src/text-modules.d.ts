// Wrangler and Vite hand migrations, pages and what pages load over as text.
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
declare module "*.css" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
declare module "*.svg" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
declare module "*.client.js" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
declare module "htmx.org/dist/htmx.min.js" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler decides the shape of a text module
  export default text;
}
