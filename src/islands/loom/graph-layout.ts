// Where each node of a tree stands in the graph. No I/O, no canvas. Depth goes to the right; what has
// nothing below it takes a line of its own, and what has stands in the middle of it.
import { type NodeId, type Row, rowsOf, type Tree } from "./tree.ts";

interface Place {
  readonly id: NodeId;
  readonly parent: NodeId | null;
  /** In steps of depth, from 0. */
  readonly column: number;
  /** In lines, from 0; a middle may be half a line. */
  readonly line: number;
}

export interface GraphLayout {
  /** Parents first. */
  readonly places: readonly Place[];
  readonly byId: ReadonlyMap<NodeId, Place>;
  readonly columns: number;
  readonly lines: number;
}

export function layOut(tree: Tree, showsHidden: boolean): GraphLayout {
  const rows = rowsOf(tree, showsHidden);
  const { lines, count } = linesOf(rows);
  const places = rows.map(({ id, depth }, index): Place => {
    const parent = tree.nodes.get(id)?.parent ?? null;
    return { id, parent, column: depth, line: lines[index] ?? 0 };
  });
  return {
    places,
    byId: new Map(places.map((place) => [place.id, place])),
    columns: rows.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
    lines: count,
  };
}

/** From below: rows stand parents first, so that backwards each comes after all below it. */
function linesOf(rows: readonly Row[]): { lines: readonly number[]; count: number } {
  const lines = new Array<number>(rows.length).fill(0);
  // By depth: the first and the last line of the children that were seen.
  const spans: ({ first: number; last: number } | undefined)[] = [];
  let next = 0;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const depth = rows[index]?.depth ?? 0;
    const below = spans[depth + 1];
    const line = below === undefined ? next : (below.first + below.last) / 2;
    if (below === undefined) next += 1;
    spans[depth + 1] = undefined;
    const beside = spans[depth];
    spans[depth] = { first: beside?.first ?? line, last: line };
    lines[index] = line;
  }
  // Counted from below; read from above.
  return { lines: lines.map((line) => next - 1 - line), count: next };
}
