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
  /** When it was asked for: the answer may be as old. */
  readAt: number;
  /** A Completion came to the backend since then. */
  used: boolean;
  refreshing: boolean;
}

/** Read again in the background from here on: then busy isolates never wait. */
const REFRESH_AFTER_MS = 4_000;

/** An isolate that falls idle tells when, so that the Model's idle time begins there; at most so often. */
const TELL_END_AFTER_MS = 1_000;

const known = new Map<string, Known>();

/** When the Inference object was last told that its Model is used. */
const told = new Map<string, number>();

/** Requests of this isolate at each Model's backend. */
const running = new Map<string, number>();

/** When a request of this isolate last came to the Model's backend, or left it. */
const lastUsed = new Map<string, number>();

/** For a request that may come to the backend. It is no use yet: who is refused costs no GPU time. */
export async function currentStatus(c: Context<AppEnv>, modelId: string): Promise<ModelStatus> {
  const last = known.get(modelId);
  const age = last === undefined ? Number.POSITIVE_INFINITY : Date.now() - last.readAt;
  if (last === undefined || age >= STATUS_FRESH_MS) return await readStatus(c, modelId);
  if (age >= REFRESH_AFTER_MS && !last.refreshing) {
    last.refreshing = true;
    c.executionCtx.waitUntil(readStatus(c, modelId).catch(() => undefined));
  }
  return last.status;
}

/** A request is at the backend until what this returns is called. */
export function useModel(c: Context<AppEnv>, modelId: string): () => void {
  running.set(modelId, (running.get(modelId) ?? 0) + 1);
  lastUsed.set(modelId, Date.now());
  const last = known.get(modelId);
  if (last !== undefined) last.used = true;
  tellUse(c, modelId, REFRESH_AFTER_MS);
  return () => {
    // Told before it is counted out.
    const left = (running.get(modelId) ?? 1) - 1;
    if (left === 0) tellUse(c, modelId, TELL_END_AFTER_MS);
    running.set(modelId, left);
    lastUsed.set(modelId, Date.now());
  };
}

/** Whether this isolate has had a request at the Model's backend within the last `withinMs`. */
export function isUsed(modelId: string, withinMs: number): boolean {
  if ((running.get(modelId) ?? 0) > 0) return true;
  return Date.now() - (lastUsed.get(modelId) ?? 0) < withinMs;
}

/** A Completion still runs: with a long one nothing else may say so. */
export function stillUses(c: Context<AppEnv>, modelId: string): void {
  tellUse(c, modelId, REFRESH_AFTER_MS);
}

function tellUse(c: Context<AppEnv>, modelId: string, afterMs: number): void {
  if (Date.now() - (told.get(modelId) ?? 0) < afterMs) return;
  c.executionCtx.waitUntil(readStatus(c, modelId).catch(() => undefined));
}

/** Asks the Inference object, and tells it whether its Model is used. */
export async function readStatus(c: Context<AppEnv>, modelId: string): Promise<ModelStatus> {
  const used = known.get(modelId)?.used === true || (running.get(modelId) ?? 0) > 0;
  const askedAt = Date.now();
  if (used) told.set(modelId, askedAt);
  const status = await inferenceOf(c.env, modelId).status({ used });
  remember(modelId, status, askedAt);
  return status;
}

/** What another call of the Inference object has answered. */
export function remember(modelId: string, status: ModelStatus, readAt = Date.now()): void {
  if ((known.get(modelId)?.readAt ?? 0) > readAt) return;
  known.set(modelId, { status, readAt, used: false, refreshing: false });
}
