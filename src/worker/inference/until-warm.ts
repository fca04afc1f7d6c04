// The wait for a Cold Model. No tokens are held meanwhile, and whoever leaves costs nothing.
import type { Context } from "hono";
import type { PublicError } from "../../contract/errors.ts";
import type { ModelStatus, WaitAnswer } from "../../contract/inference.ts";
import { LINE_RETRY_AFTER_MS, STARTING_RETRY_AFTER_MS } from "../../contract/limits.ts";
import type { SpendVerdict } from "../../contract/spend.ts";
import { inferenceOf, isRestart } from "../../durable-objects/objects.ts";
import { type Caller, identify } from "../auth/authenticate.ts";
import type { AppEnv } from "../environment.ts";
import { RETRY_AFTER_MAX_MS } from "../forward/forward-limits.ts";
import { Refused } from "../refuse.ts";
import { currentStatus, remember } from "./model-status.ts";

/** An object is back sooner; one that is not is not asked by thousands at once without a pause. */
const AGAIN_AFTER_MS = 500;

/** A backend that says again and again that it is not ready, though it answers its probe. */
export const ATTEMPTS_MOST = 3;

export interface WarmWait {
  caller: Caller;
  modelId: string;
  /** Told at once if there is a wait. */
  onWait?: (status: ModelStatus, deadline: number) => void;
}

/** True when the Model is Warm, false when the client left. Throws `Refused` when it does not get Warm. */
export async function untilWarm(c: Context<AppEnv>, wait: WarmWait): Promise<boolean> {
  const status = await currentStatus(c, wait.modelId);
  if (status.spend.paused) {
    // A key that is worth nothing is the first thing to say.
    await identify(c, wait.caller, { countsAsStart: false });
    throw new Refused(spendCap(status.spend));
  }
  if (status.state === "warm") return true;
  const began = Date.now();
  const standing = stand(c, wait, status);
  // workerd drops a handler whose client left unless something waits for it; it has to leave the line.
  c.executionCtx.waitUntil(standing.catch(() => undefined));
  const answer = await standing;
  const { timings } = c.get("frame");
  timings.set("cold", (timings.get("cold") ?? 0) + Date.now() - began);
  switch (answer.outcome) {
    case "warm":
      remember(wait.modelId, answer.status);
      return true;
    case "left":
      return false;
    case "line_full":
      throw new Refused(lineFull(wait.modelId, status));
    case "not_warm":
      remember(wait.modelId, answer.status);
      throw new Refused(
        answer.status.spend.paused
          ? spendCap(answer.status.spend)
          : stillStarting(wait.modelId, answer.status),
      );
  }
}

async function stand(
  c: Context<AppEnv>,
  { caller, modelId, onWait }: WarmWait,
  status: ModelStatus,
): Promise<WaitAnswer> {
  // A key that is worth nothing starts no GPU.
  const { limits } = await identify(c, caller, { countsAsStart: false });
  const { requestId, startedAt } = c.get("frame");
  const until = startedAt + c.get("services").configuration.COLD_HOLD_SECONDS * 1_000;
  const { signal } = c.req.raw;
  if (signal.aborted) return { outcome: "left" };
  // One stub for both calls, which keeps them in their order.
  let inference = inferenceOf(c.env, modelId);
  const leave = () => void inference.leave(requestId).catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  onWait?.(status, until);
  try {
    const mostOfAccount = limits.running + limits.waiting;
    const request = { requestId, accountId: caller.accountId, mostOfAccount, until };
    while (!signal.aborted) {
      try {
        return await inference.awaitWarm(request);
      } catch (failure) {
        // A restart of the object loses who waits; the call is repeated, as long as there is time.
        if (!isRestart(failure) || Date.now() >= until) throw failure;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
        inference = inferenceOf(c.env, modelId);
      }
    }
    return { outcome: "left" };
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** A place is free when the start is over, which is when to come back. */
function lineFull(modelId: string, { startingSince, expectedStartMs }: ModelStatus): PublicError {
  const leftMs = (startingSince ?? Date.now()) + expectedStartMs - Date.now();
  return {
    code: "rate_limited",
    message:
      `No more requests may wait for ${modelId} to start. ` +
      "Open fewer at a time, or try again when it has started.",
    retryAfterMs: Math.min(RETRY_AFTER_MAX_MS, Math.max(LINE_RETRY_AFTER_MS, leftMs)),
  };
}

function stillStarting(modelId: string, status: ModelStatus): PublicError {
  const seconds = Math.round(status.expectedStartMs / 1_000);
  return {
    code: "model_starting",
    message: `${modelId} is still starting, which takes about ${seconds} s. Try again; it goes on starting.`,
    retryAfterMs: STARTING_RETRY_AFTER_MS,
  };
}

function spendCap(spend: Extract<SpendVerdict, { paused: true }>): PublicError {
  const why =
    spend.reason === "by_hand"
      ? "An admin has paused new GPU work; ask them when it goes on."
      : `This month's Spend limit for GPUs is reached; it lifts ${lifts(spend.liftsAt)}, or when an admin raises it.`;
  return { code: "spend_cap", message: why };
}

function lifts(at: number | null): string {
  return at === null ? "next month" : `at ${new Date(at).toISOString()}`;
}
