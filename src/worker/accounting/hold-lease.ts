// A Hold's life from the gateway's side: renewed while the Completion runs, settled once it ends.
import type { HeldRequest, Refusal, RenewAnswer, TokenUsage } from "../../contract/account.ts";
import type { AccountLink } from "../../durable-objects/objects.ts";

/** Renews until stopped; `onRefused` is told once when the key or the person was shut out. */
export function keepHold(options: {
  account: AccountLink;
  held: HeldRequest;
  everyMs: number;
  progress: () => TokenUsage;
  onRefused: (refusal: Refusal) => void;
}): { stop: () => void } {
  const { account, held, everyMs, progress, onRefused } = options;
  let failed = false;
  const renew = async () => {
    // A renewal that fails is one of three before the lease ends; the next one tries again.
    const answer = await account(failed)
      .renew({ ...held, progress: progress() })
      .catch((): RenewAnswer | null => null);
    failed = answer === null;
    if (answer === null) return;
    if (answer.goOn) return;
    stop();
    onRefused(answer.refusal);
  };
  const timer = setInterval(() => void renew(), everyMs);
  const stop = () => clearInterval(timer);
  return { stop };
}

/** Between the attempts of a settlement: all of it below the 30 s that `waitUntil` lasts. */
const SETTLE_PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800];

/** Repeats the settlement until the Account says that it is durable. */
export async function settleHold(
  account: AccountLink,
  held: HeldRequest,
  usage: TokenUsage,
): Promise<void> {
  let failed = false;
  for (const pauseMs of [...SETTLE_PAUSES_MS, null]) {
    try {
      await account(failed).settle({ ...held, usage });
      return;
    } catch (failure) {
      failed = true;
      if (pauseMs !== null) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        continue;
      }
      // The Hold's lease ends it with the last progress that was reported.
      console.error({
        event: "settle_failed",
        requestId: held.requestId,
        failure: String(failure),
      });
    }
  }
}
