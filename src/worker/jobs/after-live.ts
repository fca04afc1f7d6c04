// Live Completions before Jobs also in the Worker: the backend goes by priority, one isolate's thread
// does not. Where both are in one, as on a machine of its own, a Job's calls wait for the live ones.
import { LIVE_FIRST_MS, LIVE_RECENT_MS } from "../../contract/job-limits.ts";
import { isUsed } from "../inference/model-status.ts";

/** A promise may not be resolved by another request, so each call looks for itself. */
const LOOK_EVERY_MS = 25;

/** Resolves when no live Completion was here of late, and after `LIVE_FIRST_MS` whatever is here. */
export async function afterLive(modelId: string): Promise<void> {
  const until = Date.now() + LIVE_FIRST_MS;
  while (isUsed(modelId, LIVE_RECENT_MS) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
