// Runs cases side by side and prints the table.
import { type Case, Check } from "./case.ts";

export interface Group {
  title: string;
  cases: readonly Case[];
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

export function tableOf(rows: readonly Row[]): string {
  const width = (text: (row: Row) => string) => Math.max(...rows.map((row) => text(row).length));
  const [names, compares] = [width(({ name }) => name), width((row) => row.compares)];
  const lines: string[] = [];
  let group = "";
  for (const row of rows) {
    if (row.group !== group) lines.push("", row.group);
    group = row.group;
    const cells = [row.name.padEnd(names), row.compares.padEnd(compares), resultOf(row)];
    lines.push(`  ${cells.join("  ")}`);
    for (const { at, what } of row.differences.slice(0, SHOWN_DIFFERENCES)) {
      lines.push(`      ${at}: ${what}`);
    }
    const more = row.differences.length - SHOWN_DIFFERENCES;
    if (more > 0) lines.push(`      and ${more} more`);
  }
  return lines.join("\n");
}

export function totalsOf(rows: readonly Row[]): { passed: number; failed: number } {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return { passed: sum(({ passed }) => passed), failed: sum(({ failed }) => failed) };
}
