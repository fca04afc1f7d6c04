import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EarlyStream } from "../../../src/worker/forward/early-stream.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const HOLD_MS = 290_000;

/** What the client has received so far, and whether it has been answered at all. */
class Client {
  readonly early: EarlyStream;
  #body: ReadableStream<Uint8Array> | null = null;

  constructor() {
    this.early = new EarlyStream("the-model", (body) => {
      this.#body = body;
    });
  }

  get answered(): boolean {
    return this.#body !== null;
  }

  /** Reads so many comments or events, each as it was written. */
  async read(count: number): Promise<string[]> {
    const reader = this.#body?.getReader();
    if (reader === undefined) throw new Error("there is no answer");
    const texts: string[] = [];
    while (texts.length < count) {
      const { done, value } = await reader.read();
      if (done) break;
      texts.push(new TextDecoder().decode(value));
    }
    reader.releaseLock();
    return texts;
  }
}

describe("a stream whose Model is starting", () => {
  test("is not answered within ten seconds", async () => {
    const client = new Client();
    client.early.wait(20_000, HOLD_MS);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(client.answered).toBe(false);
  });

  test("then says every ten seconds how long it still takes, in comments that SDKs skip", async () => {
    const client = new Client();
    client.early.wait(25_000, HOLD_MS);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await client.read(1)).toEqual([": waiting for the-model, about 15 s\n\n"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await client.read(1)).toEqual([": waiting for the-model, about 5 s\n\n"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await client.read(1)).toEqual([": waiting for the-model, about 1 s\n\n"]);
  });

  test("has no comments any more once it rests", async () => {
    const client = new Client();
    client.early.wait(20_000, HOLD_MS);
    await vi.advanceTimersByTimeAsync(10_000);
    await client.read(1);
    client.early.rest();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("stays without a status where the start will outlast the wait, so that SDKs try again", async () => {
    const client = new Client();
    client.early.wait(HOLD_MS + 1, HOLD_MS);
    await vi.advanceTimersByTimeAsync(HOLD_MS);
    expect(client.answered).toBe(false);
  });

  test("ends in an error event, without [DONE], where it never gets Warm", async () => {
    const client = new Client();
    client.early.wait(20_000, HOLD_MS);
    await vi.advanceTimersByTimeAsync(10_000);
    await client.read(1);
    const failed = client.early.fail(
      { code: "model_starting", message: "the-model is still starting." },
      "req_1",
    );
    const [event = "", ...more] = await client.read(2);
    await failed;
    expect(more).toEqual([]);
    const { error } = JSON.parse(event.slice("data: ".length));
    expect(error).toMatchObject({ code: "model_starting", type: "server_error" });
    expect(error.message).toContain("req_1");
  });

  test("is gone when a comment finds nobody", async () => {
    const client = new Client();
    client.early.wait(20_000, HOLD_MS);
    await vi.advanceTimersByTimeAsync(10_000);
    await client.read(1);
    await client.early.open?.readable.cancel();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(client.early.gone).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
