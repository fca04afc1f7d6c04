// What one figure says of one target: its value, and its ratios to direct and to Portkey.
import type { Figure } from "../measure/figure.ts";
import { medianOfRounds, pairedMedian, type Rounds } from "../measure/statistics.ts";
import type { TargetName } from "../peers/target.ts";

const minus = (value: number, base: number): number => value - base;
const over = (value: number, base: number): number => value / base;

/** The value as shown: added to direct's, or the target's own. */
export function shownValue(figure: Figure, name: TargetName): number | null {
  const rounds = figure.values[name];
  if (figure.overRounds === "max") return greatest(rounds);
  if (figure.shown !== "added" || name === "direct") return medianOfRounds(rounds);
  return pairedMedian(rounds, figure.values.direct, minus);
}

/** Of the whole time or rate, the way included. */
export function ratioToDirect(figure: Figure, name: TargetName): number | null {
  if (figure.shown === "apart") return null;
  return pairedMedian(figure.values[name], figure.values.direct, over);
}

/** Of what is shown: for an added time, of the added times. */
export function ratioToPortkey(figure: Figure, name: TargetName): number | null {
  if (name === "direct" && figure.shown !== "own") return null;
  const { portkey, direct } = figure.values;
  if (figure.shown !== "added") return pairedMedian(figure.values[name], portkey, over);
  const base = addedTo(portkey, direct);
  // Where Portkey adds nothing to tell from chance, a ratio to it says nothing either.
  if (base.some((value) => value === null || value <= 0)) return null;
  return pairedMedian(addedTo(figure.values[name], direct), base, over);
}

function addedTo(rounds: Rounds | undefined, direct: Rounds | undefined): Rounds {
  return (rounds ?? []).map((value, round) => {
    const base = direct?.[round] ?? null;
    return value === null || base === null ? null : value - base;
  });
}

function greatest(rounds: Rounds | undefined): number | null {
  const known = (rounds ?? []).filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
