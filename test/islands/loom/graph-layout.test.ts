import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOut } from "../../../src/islands/loom/graph-layout.ts";
import { rowsOf } from "../../../src/islands/loom/tree.ts";
import { numRuns } from "../../core/property-runs.ts";
import { trees } from "./tree-steps.ts";

describe("the graph's layout", () => {
  test("no two nodes of a column stand nearer than a line, siblings in their order", () => {
    fc.assert(
      fc.property(trees, fc.boolean(), (tree, showsHidden) => {
        const { places, columns, lines } = layOut(tree, showsHidden);
        expect(places.map(({ id }) => id)).toEqual(rowsOf(tree, showsHidden).map(({ id }) => id));
        for (let column = 0; column < columns; column += 1) {
          const inColumn = places.filter((place) => place.column === column);
          expect(inColumn.length).toBeGreaterThan(0);
          for (const [index, { line }] of inColumn.entries()) {
            expect(line).toBeGreaterThanOrEqual(0);
            expect(line).toBeLessThanOrEqual(lines - 1);
            const above = inColumn[index - 1];
            if (above !== undefined) expect(line - above.line).toBeGreaterThanOrEqual(1);
          }
        }
      }),
      { numRuns },
    );
  });

  test("each node stands right of its parent, which is in the middle of its children", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const { places, byId } = layOut(tree, false);
        for (const place of places) {
          const below = places.filter(({ parent }) => parent === place.id);
          for (const { column } of below) expect(column).toBe(place.column + 1);
          const [first] = below;
          const last = below.at(-1);
          if (first === undefined || last === undefined) continue;
          expect(byId.get(place.id)?.line).toBe((first.line + last.line) / 2);
        }
      }),
      { numRuns },
    );
  });
});
