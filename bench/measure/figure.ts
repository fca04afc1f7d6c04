import type { TargetName } from "../peers/target.ts";
import type { Rounds } from "./statistics.ts";

/** One line of the table: what was measured of each target, round by round. */
export interface Figure {
  /** Names it in the JSON file and in the table of musts. */
  key: string;
  title: string;
  unit: string;
  /** Digits after the point. */
  digits: number;
  /**
   * `added`: every target but direct is shown as its difference from direct in the same round.
   * `own`: values stand for themselves. `apart`: like own, but direct's value is the engine's and
   * no base for a ratio.
   */
  shown: "added" | "own" | "apart";
  /** How rounds become one value: a peak of memory is a peak, not a median. */
  overRounds: "median" | "max";
  values: Partial<Record<TargetName, Rounds>>;
  /** How far direct alone scatters, where a difference must be told from chance. */
  noise?: number;
}

/** Said below the table: where a target could not take part, and why. */
export interface Measured {
  figures: Figure[];
  remarks: string[];
}
