// What GPUs cost in a calendar month (UTC), and the limit on it. Money is in US dollars, times are
// milliseconds since 1970 (UTC), months are `2026-11`.

/** While a Model runs, the SpendLimit object hears of it so often: no more than that is unseen. */
export const TICK_MS = 10_000;

/**
 * What one Model's containers cost. A day's figures only grow, so a repeated or late tick changes
 * nothing.
 */
export interface SpendTick {
  model: string;
  at: number;
  /** Every day (UTC) that can still change; its whole figures, not what was added. */
  days: readonly SpendDay[];
  /** What runs at `at`. */
  running: {
    containers: number;
    usdPerHour: number;
    /** What these will still cost until they have been idle long enough to stop. */
    windDownUsd: number;
  };
}

export interface SpendDay {
  day: string;
  containerSeconds: number;
  usd: number;
  /** True where no container reported itself and the time is taken from the requests. */
  estimated: boolean;
}

type PauseReason = "spend_limit" | "by_hand";

/** Whether new GPU work may begin. */
export type SpendVerdict =
  | { paused: false }
  | {
      paused: true;
      reason: PauseReason;
      /** When it lifts by itself: the month's turn for the limit, null by hand. */
      liftsAt: number | null;
    };

export interface SpendOverview {
  month: string;
  limitUsd: number;
  spentUsd: number;
  /** What runs now will still cost until it has been idle long enough to stop. */
  windDownUsd: number;
  usdPerHour: number;
  /** The month's end, if it goes on as it went so far. */
  forecastUsd: number;
  verdict: SpendVerdict;
  pausedByHand: boolean;
  models: {
    model: string;
    usd: number;
    containerSeconds: number;
    containers: number;
    usdPerHour: number;
    estimated: boolean;
  }[];
  /** The month's days so far, all Models together. */
  days: { day: string; usd: number; containerSeconds: number }[];
}

export interface SpendChange {
  limitUsd?: number | undefined;
  pausedByHand?: boolean | undefined;
}

/** The one SpendLimit object's RPC. Each call is repeatable. */
export interface SpendLimitRpc {
  tick(tick: SpendTick): Promise<SpendVerdict>;
  verdict(): Promise<SpendVerdict>;
  overview(): Promise<SpendOverview>;
  change(change: SpendChange): Promise<SpendOverview>;
}
