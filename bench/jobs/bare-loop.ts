// The most that a Job of calls of their own could reach: the same calls by a bare Worker.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "../../test/e2e/stack-process.ts";
import { serveBareWorker } from "../peers/bare-worker/start.ts";

export class BareLoop {
  readonly #stack: Stack;
  readonly #url: string;
  readonly stop: () => Promise<void>;

  private constructor(stack: Stack, url: string, stop: () => Promise<void>) {
    this.#stack = stack;
    this.#url = url;
    this.stop = stop;
  }

  static async start(stack: Stack): Promise<BareLoop> {
    const directory = mkdtempSync(join(tmpdir(), "continuo-loop-"));
    const worker = { file: "./loop.ts", objectClass: "", upstream: stack.engine, directory };
    const { process, port } = await serveBareWorker(worker);
    return new BareLoop(stack, `http://127.0.0.1:${port}/`, async () => {
      await process.stop();
      rmSync(directory, { recursive: true, force: true });
    });
  }

  /** Calls a second, from the request that asks for them to its answer. */
  async rate(bodies: readonly object[]): Promise<number> {
    const body = JSON.stringify({ key: this.#stack.engineKey, bodies });
    const began = performance.now();
    const response = await fetch(this.#url, { method: "POST", body });
    if (response.status !== 204) throw new Error(`the loop was answered ${response.status}`);
    return bodies.length / ((performance.now() - began) / 1_000);
  }
}
