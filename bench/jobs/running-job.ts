// A Job as its submitter sees it.
import { setTimeout as pause } from "node:timers/promises";
import type { Stack } from "../../test/e2e/stack-process.ts";
import { median } from "../measure/statistics.ts";

/** A Job of 10,000 small items takes two to four seconds. */
const LOOK_EVERY_MS = 50;

interface ShownJob {
  id: string;
  state: string;
  progress: { total: number; succeeded: number; failed: number };
}

export class RunningJob {
  readonly #stack: Stack;
  readonly #id: string;
  readonly #began = performance.now();

  private constructor(stack: Stack, id: string) {
    this.#stack = stack;
    this.#id = id;
  }

  static async submit(stack: Stack, prompts: readonly string[], params: object) {
    const job = await call(stack, "POST", "/jobs", { model: "local", params, prompts });
    return new RunningJob(stack, job.id);
  }

  show(): Promise<ShownJob> {
    return call(this.#stack, "GET", `/jobs/${this.#id}`);
  }

  async started(): Promise<void> {
    while ((await this.show()).progress.succeeded === 0) await pause(LOOK_EVERY_MS);
  }

  /** Items a second, from when it was taken in to its end. */
  async rate(): Promise<number> {
    for (;;) {
      const { state, progress } = await this.show();
      const seconds = (performance.now() - this.#began) / 1_000;
      if (state === "completed" && progress.failed === 0) return progress.total / seconds;
      if (!["queued", "running"].includes(state)) throw new Error(`the Job is ${state}`);
      await pause(LOOK_EVERY_MS);
    }
  }

  async cancel(): Promise<void> {
    await call(this.#stack, "POST", `/jobs/${this.#id}/cancel`);
    while ((await this.show()).state === "running") await pause(LOOK_EVERY_MS);
  }
}

/** The median time to the whole answer of a Completion, one after the other, in ms. */
export async function liveMs(stack: Stack, count: number, params: object): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const began = performance.now();
    await call(stack, "POST", "/completions", { model: "local", prompt: `Live ${at}`, ...params });
    times.push(performance.now() - began);
  }
  return median(times);
}

async function call(stack: Stack, method: string, path: string, body?: object) {
  const response = await fetch(stack.api + path, {
    method,
    headers: { authorization: `Bearer ${stack.key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as ShownJob;
}
