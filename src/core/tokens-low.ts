// When a person's tokens are low: once for each Grant. What is held for requests that run does not count
// as gone, or a burst of them would say so each time. No I/O, no clock.
import type { TokenFigures } from "../contract/account.ts";
import { TOKENS_LOW_PERCENT } from "../contract/outgoing-webhooks.ts";

type Spending = Pick<TokenFigures, "granted" | "spent">;

export interface LowMark {
  /** What was not spent after the last Grant. */
  base: number;
  /** It was said, and there was no Grant since. */
  isLow: boolean;
}

/** Another Grant: what it leaves is what the next tenth is of. */
export function markGrant({ granted, spent }: Spending): LowMark {
  return { base: granted - spent, isLow: false };
}

/** Whether tokens have become low since `before`; an Account without a mark has one from now on. */
export function judgeLow(before: LowMark | null, now: Spending): { mark: LowMark; fell: boolean } {
  if (before === null) return { mark: markGrant(now), fell: false };
  const fell = !before.isLow && now.granted - now.spent < lowBelow(before);
  return { mark: fell ? { ...before, isLow: true } : before, fell };
}

/** In tokens. */
export function lowBelow({ base }: LowMark): number {
  return Math.ceil((base * TOKENS_LOW_PERCENT) / 100);
}
