// Usage as a spreadsheet reads it (RFC 4180).
import type { presentUsage } from "../../api/present.ts";

type UsageRow = ReturnType<typeof presentUsage>;

const columns: readonly [string, (row: UsageRow) => string | number][] = [
  ["day", ({ day }) => day],
  ["model", ({ model }) => model],
  ["key_id", ({ key }) => key.id],
  ["key_name", ({ key }) => key.name ?? ""],
  ["requests", ({ requests }) => requests],
  ["prompt_tokens", (row) => row.prompt_tokens],
  ["completion_tokens", (row) => row.completion_tokens],
  ["total_tokens", (row) => row.total_tokens],
];

export function usageCsv(rows: readonly UsageRow[]): string {
  const lines = [
    columns.map(([name]) => name),
    ...rows.map((row) => columns.map(([, cell]) => field(cell(row)))),
  ];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

/** Spreadsheets run what begins with one of these, and a name is whatever somebody typed. */
const FORMULA = /^[=+\-@\t\r]/;

function field(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
