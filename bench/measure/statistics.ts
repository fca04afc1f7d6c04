// Figures out of samples. Targets are compared within a round and only then over rounds: whatever
// slows the machine for a while slows a whole round, and drops out of differences and ratios.

export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** A target's value in each round; null where the target could not do what was measured. */
export type Rounds = readonly (number | null)[];

/** The median over rounds of what `combine` makes of two targets' values of the same round. */
export function pairedMedian(
  rounds: Rounds | undefined,
  base: Rounds | undefined,
  combine: (value: number, base: number) => number,
): number | null {
  const combined: number[] = [];
  for (const [round, value] of (rounds ?? []).entries()) {
    const other = base?.[round] ?? null;
    if (value !== null && other !== null) combined.push(combine(value, other));
  }
  return combined.length === 0 ? null : median(combined);
}

export function medianOfRounds(rounds: Rounds | undefined): number | null {
  const known = (rounds ?? []).filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

/** Where the middle half of the samples lies: from its first to its third quarter. */
export function interquartileRange(samples: readonly number[]): number {
  return quantile(samples, 0.75) - quantile(samples, 0.25);
}
