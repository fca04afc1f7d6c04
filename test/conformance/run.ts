// Runs cases side by side and prints the table.
import { type Case, Check } from "./case.ts";

export interface Group {
  title: string;
  cases: readonly Case[];
  /** The option that left its cases out. */
  leftOut?: string;
}

export interface Row {
  group: string;
  name: string;
  compares: string;
  passed: number;
  failed: number;
  differences: Check["differences"];
}

/** A broken engine differs everywhere; the first few say how. */
const SHOWN_DIFFERENCES = 5;

async function runCase(one: Case, group: string, quick: boolean): Promise<Row> {
  const check = new Check();
  await check.tries("the case itself", () => one.run(check, quick));
  const { held: passed, differences } = check;
  return {
    group,
    name: one.name,
    compares: one.compares,
    passed,
    failed: differences.length,
    differences,
  };
}

/** In the table's order; the requests of all cases share the places of their targets. */
export async function runGroups(groups: readonly Group[], quick: boolean): Promise<Row[]> {
  return Promise.all(
    groups.flatMap(({ title, cases }) =>
      cases.filter((one) => one.quick || !quick).map((one) => runCase(one, title, quick)),
    ),
  );
}

function resultOf({ passed, failed }: Row): string {
  return failed === 0 ? `${passed} same` : `${failed} of ${passed + failed} DIFFER`;
}

export function tableOf(groups: readonly Group[], rows: readonly Row[]): string {
  const width = (text: (row: Row) => string) => Math.max(...rows.map((row) => text(row).length));
  const [names, compares] = [width(({ name }) => name), width((row) => row.compares)];
  const lines: string[] = [];
  for (const { title, leftOut } of groups) {
    lines.push("", title);
    if (leftOut !== undefined) lines.push(`  left out by ${leftOut}`);
    for (const row of rows.filter(({ group }) => group === title)) {
      const cells = [row.name.padEnd(names), row.compares.padEnd(compares), resultOf(row)];
      lines.push(`  ${cells.join("  ")}`, ...differencesOf(row));
    }
  }
  return lines.join("\n");
}

function differencesOf({ differences }: Row): string[] {
  const shown = differences.slice(0, SHOWN_DIFFERENCES);
  const lines = shown.map(({ at, what }) => `      ${at}: ${what}`);
  const more = differences.length - SHOWN_DIFFERENCES;
  return more > 0 ? [...lines, `      and ${more} more`] : lines;
}

export function totalsOf(rows: readonly Row[]): { passed: number; failed: number } {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return { passed: sum(({ passed }) => passed), failed: sum(({ failed }) => failed) };
}
