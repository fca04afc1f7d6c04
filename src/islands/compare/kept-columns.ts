// What a reload of Compare brings back: the text, and what each column that is shown is asked with; no
// answers, which say nothing once a field is another. It stays in the tab, as long as that is open: a text
// is kept longer only where its person saves it, and two tabs compare two things.
import { keep, readKept } from "../dom/kept.ts";

const KEPT_AS = "continuo-compare";

export interface KeptColumn {
  readonly model: string;
  /** What stands in each field, by its name. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface KeptComparison {
  readonly text: string;
  /** By their names. */
  readonly columns: Readonly<Record<string, KeptColumn>>;
}

export function keepComparison(person: string, comparison: KeptComparison): void {
  keep("sessionStorage", KEPT_AS, { person, ...comparison });
}

/** Null where there is nothing, or somebody else's who was signed in here before. */
export function readComparison(person: string): KeptComparison | null {
  const kept = readKept("sessionStorage", KEPT_AS);
  if (!isRecord(kept) || kept.person !== person) return null;
  const { text, columns } = kept;
  if (typeof text !== "string" || !isRecord(columns)) return null;
  return { text, columns: Object.fromEntries(Object.entries(columns).filter(isColumn)) };
}

function isColumn(entry: [string, unknown]): entry is [string, KeptColumn] {
  const [, column] = entry;
  return isRecord(column) && typeof column.model === "string" && isRecord(column.fields);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
