// What the makers of pages share. Pure: data in, Markdown out.

/** The first lines of a generated page. `search` are words that people look for it by. */
export function head(source: string, search: string): string {
  return `<!-- Generated from ${source} by \`npm run generate\`; edit that, not this page. -->\n<!-- search: ${search} -->\n`;
}

const row = (...cells: string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    row(...names),
    row(...names.map(() => "---")),
    ...rows.map((cells) => row(...cells)),
  ].join("\n");
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const code = (text: string) => `\`${text}\``;

/** `1234567` → `1,234,567`. */
export const grouped = (value: number) => value.toLocaleString("en-US");
