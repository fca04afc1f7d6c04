// What an isolate knows of each Model: Warm or not, paused or not. Read in the background while it is
// fresh, so that a Completion waits for it only after a pause in the traffic, and never uses what is
// older than `STATUS_FRESH_MS`: so a reached Spend limit is everywhere within that time.
import type { Context } from "hono";
import type { ModelStatus } from "../../contract/inference.ts";
import { STATUS_FRESH_MS } from "../../contract/limits.ts";
import { inferenceOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";

interface Known {
  status: ModelStatus;
  readAt: number;
  /** A Completion used it since it was read. */
  used: boolean;
  refreshing: boolean;
}

/** Read again in the background from here on: then busy isolates never wait. */
const REFRESH_AFTER_MS = 4_000;

/** An isolate that falls idle tells when, so that the Model's idle time begins there; at most so often. */
const TELL_END_AFTER_MS = 1_000;

const known = new Map<string, Known>();

/** Completions of this isolate at each Model's backend. */
const running = new Map<string, number>();

/** For a Completion that is about to begin. */
export async function currentStatus(c: Context<AppEnv>, modelId: string): Promise<ModelStatus> {
  const now = Date.now();
  const last = known.get(modelId);
  const age = last === undefined ? Number.POSITIVE_INFINITY : now - last.readAt;
  if (last === undefined || age >= STATUS_FRESH_MS) return await readStatus(c, modelId, true);
  last.used = true;
  if (age >= REFRESH_AFTER_MS && !last.refreshing) {
    last.refreshing = true;
    c.executionCtx.waitUntil(readStatus(c, modelId, true).catch(() => undefined));
  }
  return last.status;
}

/** A Completion is at the backend until what it returns is called. */
export function useModel(c: Context<AppEnv>, modelId: string): () => void {
  running.set(modelId, (running.get(modelId) ?? 0) + 1);
  return () => {
    const left = (running.get(modelId) ?? 1) - 1;
    running.set(modelId, left);
    const last = known.get(modelId);
    if (left > 0 || Date.now() - (last?.readAt ?? 0) < TELL_END_AFTER_MS) return;
    c.executionCtx.waitUntil(readStatus(c, modelId, true).catch(() => undefined));
  };
}

/** A Completion still runs: with a long one nothing else may say so. */
export function stillUses(c: Context<AppEnv>, modelId: string): void {
  c.executionCtx.waitUntil(currentStatus(c, modelId).catch(() => undefined));
}

/** Asks the Inference object. `used` false: only to show it. */
export async function readStatus(
  c: Context<AppEnv>,
  modelId: string,
  used: boolean,
): Promise<ModelStatus> {
  const before = known.get(modelId);
  const status = await inferenceOf(c.env, modelId).status({ used: used || before?.used === true });
  remember(modelId, status);
  return status;
}

/** What another call of the Inference object has answered. */
export function remember(modelId: string, status: ModelStatus): void {
  known.set(modelId, { status, readAt: Date.now(), used: false, refreshing: false });
}
