// A Hold is renewed while its Completion runs, and so the Completion hears when its key ends.
import type { HeldRequest, Refusal, RenewAnswer, TokenUsage } from "../../contract/account.ts";
import { HOLD_LISTEN_AFTER_MS } from "../../contract/limits.ts";
import type { AccountLink } from "../../durable-objects/objects.ts";
import type { Watch } from "../forward/watch.ts";

/**
 * Renews as long as the request is watched; `onRefused` is told when the key or the person was shut
 * out. A renewal is answered after `everyMs`, or at once with that news, and the next one follows: as
 * many calls as with a timer, and no request listens that ends in less than HOLD_LISTEN_AFTER_MS.
 */
export function keepHold(options: {
  account: AccountLink;
  held: HeldRequest;
  watch: Watch;
  everyMs: number;
  progress: () => TokenUsage;
  onRefused: (refusal: Refusal) => void;
}): void {
  const { account, held, watch, everyMs, progress, onRefused } = options;
  const pauseMs = Math.min(HOLD_LISTEN_AFTER_MS, everyMs);
  let listening = false;
  let failed = false;

  /** Whether it waited: what is answered sooner, or fails, is tried again after a pause. */
  async function renew(): Promise<boolean> {
    const began = Date.now();
    // A renewal that fails is one of three before the lease ends; the next one tries again.
    const answer = await account(failed)
      .renew({ ...held, progress: progress() }, everyMs)
      .catch((): RenewAnswer | null => null);
    failed = answer === null;
    if (answer !== null && !answer.goOn) onRefused(answer.refusal);
    return answer?.goOn === true && Date.now() - began >= pauseMs;
  }

  async function listen(): Promise<void> {
    if (listening) return;
    listening = true;
    while (!watch.isOver() && (await renew()));
    listening = false;
  }

  watch.every(pauseMs, () => void listen());
}
