// A Hold is renewed while its Completion runs, and so the Completion hears when its key ends.
import type { HeldRequest, Refusal, RenewAnswer, TokenUsage } from "../../contract/account.ts";
import { HOLD_LISTEN_AFTER_MS } from "../../contract/limits.ts";
import type { AccountLink } from "../../durable-objects/objects.ts";
import type { Watch } from "../forward/watch.ts";

/** After a renewal that failed: all that runs comes again, and must not press on an object that is down. */
const RETRY_AFTER_MS = 5_000;

/**
 * A third of the rhythm beyond it: the last renewal that arrived is then two rhythms and a third old,
 * so that the next one comes in before the lease, of three at least, is over.
 */
const lateAfterMs = (everyMs: number) => everyMs + Math.ceil(everyMs / 3);

/**
 * Renews as long as the request is watched; `onRefused` is told when the key or the person was shut
 * out. A renewal is answered after `everyMs`, or at once with that news, and the next one follows: as
 * many calls as with a timer, and no request listens that ends in less than HOLD_LISTEN_AFTER_MS. One
 * that is not answered is given up, and made again on a fresh stub.
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
  let notBefore = 0;

  /** Whether it took its time: what is answered sooner is made again at the next beat. */
  async function renew(): Promise<boolean> {
    const began = Date.now();
    const call = account(failed).renew({ ...held, progress: progress() }, everyMs);
    const answer = await inTime(call, lateAfterMs(everyMs));
    const waited = Date.now() - began;
    failed = answer === null;
    if (answer?.goOn === false) onRefused(answer.refusal);
    if (failed) notBefore = began + Math.min(RETRY_AFTER_MS, everyMs);
    return answer?.goOn !== false && waited >= pauseMs && Date.now() >= notBefore;
  }

  async function listen(): Promise<void> {
    if (listening || Date.now() < notBefore) return;
    listening = true;
    while (!watch.isOver() && (await renew()));
    listening = false;
  }

  watch.every(pauseMs, () => void listen());
}

/** Null for a call that fails or is late. */
async function inTime(call: Promise<RenewAnswer>, limitMs: number): Promise<RenewAnswer | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), limitMs);
  try {
    return await Promise.race([call, late.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
