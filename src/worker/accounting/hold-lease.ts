// A Hold is renewed while its Completion runs.
import type { HeldRequest, Refusal, RenewAnswer, TokenUsage } from "../../contract/account.ts";
import type { AccountLink } from "../../durable-objects/objects.ts";
import type { Watch } from "../forward/watch.ts";

/** Renews as long as the request is watched; `onRefused` is told when the key or the person was shut out. */
export function keepHold(options: {
  account: AccountLink;
  held: HeldRequest;
  watch: Watch;
  everyMs: number;
  progress: () => TokenUsage;
  onRefused: (refusal: Refusal) => void;
}): void {
  const { account, held, watch, everyMs, progress, onRefused } = options;
  let failed = false;
  const renew = async () => {
    // A renewal that fails is one of three before the lease ends; the next one tries again.
    const answer = await account(failed)
      .renew({ ...held, progress: progress() })
      .catch((): RenewAnswer | null => null);
    failed = answer === null;
    if (answer !== null && !answer.goOn) onRefused(answer.refusal);
  };
  watch.every(everyMs, () => void renew());
}
