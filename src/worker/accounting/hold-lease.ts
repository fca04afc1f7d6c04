// A Hold is renewed while its Completion runs.
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
