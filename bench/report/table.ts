import type { Figure } from "../measure/figure.ts";
import type { TargetName } from "../peers/target.ts";
import { ratioToDirect, ratioToPortkey, shownValue } from "./cells.ts";

const RATIO_DIGITS = 2;

/** The one table: a line for each figure, its ratios below it, a column for each target. */
export function figureTable(figures: readonly Figure[], names: readonly TargetName[]): string {
  const rows = [["", ...names], ...figures.flatMap((figure) => figureRows(figure, names))];
  return alignedRows(rows);
}

function figureRows(figure: Figure, names: readonly TargetName[]): string[][] {
  const cell = (value: number | null, digits: number): string =>
    value === null ? "–" : value.toFixed(digits);
  const values = names.map((name) => {
    const text = cell(shownValue(figure, name), figure.digits);
    return figure.shown === "added" ? decorated(name, text) : text;
  });
  const rows = [[`${figure.title} (${figure.unit})`, ...values]];
  const addRatio = (title: string, ratio: (figure: Figure, name: TargetName) => number | null) => {
    const ratios = names.map((name) => ratio(figure, name));
    if (ratios.every((value) => value === null)) return;
    rows.push([`  ${title}`, ...ratios.map((value) => cell(value, RATIO_DIGITS))]);
  };
  if (figure.overRounds === "median") {
    addRatio(figure.shown === "added" ? "whole, × direct" : "× direct", ratioToDirect);
    addRatio(figure.shown === "added" ? "added, × Portkey" : "× Portkey", ratioToPortkey);
  }
  return rows;
}

/** Direct's own time stands in brackets, since nothing is added to it. */
function decorated(name: TargetName, text: string): string {
  if (name === "direct") return `[${text}]`;
  return text === "–" || text.startsWith("-") ? text : `+${text}`;
}

/** Left-aligned first column, right-aligned others. */
export function alignedRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((text, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? text.padEnd(width) : text.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
