// Asks a backend whether it is ready: /health first, which costs nothing, then a completion.
import type { Model } from "../../contract/catalogue.ts";
import type { BackendAddress } from "../../core/backend-address.ts";
import { readProgress } from "../../core/engine-metrics.ts";
import type { Progress } from "../../core/model-life.ts";
import { judgeKnownAnswer, knownQuestion } from "../../core/probe-verdict.ts";

export interface ProbedBackend extends BackendAddress {
  model: Model;
  fetch: typeof fetch;
}

/** A platform that is about to start a container may keep a request for some seconds. */
const HEALTH_TIMEOUT_MS = 10_000;

/** The first completion of a fresh engine compiles kernels. */
const ANSWER_TIMEOUT_MS = 120_000;

/** Null when it is ready, else why not. */
export async function probe(backend: ProbedBackend): Promise<string | null> {
  try {
    const health = await ask(backend, "/health", HEALTH_TIMEOUT_MS);
    if (health.status !== 200) return `/health was answered ${health.status}`;
    const question = JSON.stringify(knownQuestion(backend.model, backend.servedName));
    const answer = await ask(backend, "/v1/completions", ANSWER_TIMEOUT_MS, question);
    return judgeKnownAnswer(answer.status, answer.text, backend.model);
  } catch (failure) {
    return failure instanceof Error ? failure.name : "it could not be asked";
  }
}

/** Null when it cannot be read. */
export async function askProgress(backend: ProbedBackend): Promise<Progress | null> {
  try {
    const page = await ask(backend, "/metrics", HEALTH_TIMEOUT_MS);
    return page.status === 200 ? readProgress(page.text) : null;
  } catch {
    return null;
  }
}

async function ask(
  { url, credentials, fetch }: ProbedBackend,
  path: string,
  timeoutMs: number,
  body?: string,
): Promise<{ status: number; text: string }> {
  const late = new AbortController();
  // Not AbortSignal.timeout, which nothing ends: its timer keeps the object in memory, which is paid.
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...credentials, "content-type": "application/json", accept: "*/*" },
      ...(body !== undefined && { body }),
      // A redirect would carry the backend's key to an address nobody configured.
      redirect: "manual",
      signal: late.signal,
    });
    return { status: response.status, text: await response.text() };
  } finally {
    clearTimeout(timer);
  }
}
