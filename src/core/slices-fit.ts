// How much of a slice there are tokens for. Items go in their order, and none is lowered. Pure.

/** So many items from the first on cost at most `available` together. */
export function itemsThatFit(costs: readonly number[], available: number): number {
  let sum = 0;
  for (const [index, cost] of costs.entries()) {
    sum += cost;
    if (sum > available) return index;
  }
  return costs.length;
}
