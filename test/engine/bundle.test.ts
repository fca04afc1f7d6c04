import { afterEach, describe, expect, test } from "vitest";
import { type Frame, framesOf } from "../conformance/bundle-frames.ts";
import { startTestEngine, type TestEngine } from "./calling.ts";

const started: TestEngine[] = [];
afterEach(() => Promise.all(started.splice(0).map((engine) => engine.close())));

async function start(options: Parameters<typeof startTestEngine>[0] = {}): Promise<TestEngine> {
  const engine = await startTestEngine({ faults: true, ...options });
  started.push(engine);
  return engine;
}

const running = "vllm:num_requests_running";
const waiting = "vllm:num_requests_waiting";
const short = { prompt: "It was the", max_tokens: 3, seed: 1, ignore_eos: true };
const long = { prompt: "It was the", max_tokens: 4000, ignore_eos: true };

interface Read {
  frames: Frame[];
  /** False if the connection broke. */
  whole: boolean;
}

/** Reads until the answer's end, or until it breaks or has so many frames. */
async function read(response: Response, enough = Number.POSITIVE_INFINITY): Promise<Read> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const part of response.body ?? []) {
      bytes = Buffer.concat([bytes, part]);
      if (framesOf(bytes).length >= enough) break;
    }
    return { frames: framesOf(bytes), whole: true };
  } catch {
    return { frames: framesOf(bytes), whole: false };
  }
}

const arm = (engine: TestEngine, fault: object) =>
  fetch(`${engine.url}/faults`, { method: "POST", body: JSON.stringify(fault) });
const struck = (fault: string) => ({ headers: { "x-engine-fault": fault } });
const statuses = ({ frames }: Read) =>
  frames.sort((a, b) => a.line - b.line).map(({ status }) => status);

test("each line is counted as a request of its own", async () => {
  const engine = await start();
  await read(await engine.bundle([short, short, short]));
  expect(await engine.metric("engine:completion_requests_total")).toBe(3);
  expect(await engine.metric("engine:bundle_requests_total")).toBe(1);
  expect(await engine.metric("vllm:generation_tokens_total")).toBe(9);
});

describe("a fault of completions", () => {
  test("asked for by the header of the whole strikes every line", async () => {
    const engine = await start();
    const answer = await read(await engine.bundle([short, short], struck("html")));
    expect(statuses(answer)).toEqual([502, 502]);
    expect(answer.frames[0]?.bytes.toString()).toContain("<html>");
  });

  test("armed ahead strikes lines as it would single requests", async () => {
    const engine = await start();
    await arm(engine, { fault: "429", count: 2, retry_after: 3 });
    const answer = await read(await engine.bundle([short, short, short]));
    expect(statuses(answer)).toEqual([429, 429, 200]);
    expect(answer.frames.map(({ retryAfter }) => retryAfter)).toEqual(["3", "3", null]);
  });

  test("that tears a line's answer down leaves a 500 without bytes, and the other lines", async () => {
    const engine = await start();
    await arm(engine, { fault: "cut" });
    const answer = await read(await engine.bundle([short, short]));
    expect(statuses(answer)).toEqual([500, 200]);
    expect(answer.frames[0]?.bytes).toHaveLength(0);
  });

  test.each(["hang", "hang-mid"])(
    "%s keeps a line running until the client leaves",
    async (fault) => {
      const engine = await start();
      await arm(engine, { fault });
      const leaving = new AbortController();
      const response = await engine.bundle([short, short], { signal: leaving.signal });
      const answer = await read(response, 1);
      expect(answer.frames.map(({ line }) => line)).toEqual([1]);
      leaving.abort();
      await expect.poll(() => engine.metric(running)).toBe(0);
    },
  );

  test.each(["drip;ms=1", "split"])("%s is not seen in a frame", async (fault) => {
    const engine = await start();
    const bytes = async (name: string) => {
      const [frame] = (await read(await engine.bundle([short], struck(name)))).frames;
      return frame?.bytes.toString().replace(/"id":"[^"]+"|"created":\d+/g, "") ?? "no frame";
    };
    expect(await bytes(fault)).toContain('"choices":');
    expect(await bytes(fault)).toBe(await bytes("none"));
  });
});

describe("a fault of bundles", () => {
  test.each([0, 1, 3])("tears the connection down after %i of three frames", async (at) => {
    const engine = await start();
    const response = await engine.bundle([short, short, short], struck(`bundle-cut;at=${at}`));
    const answer = await read(response);
    expect(answer.whole).toBe(false);
    expect(answer.frames).toHaveLength(at);
  });

  test("that tears the connection down stops the lines that still run", async () => {
    const engine = await start({ tokenDelayMs: 5 });
    await read(await engine.bundle([long, long, short], struck("bundle-cut;at=1")));
    await expect.poll(() => engine.metric(running)).toBe(0);
  });

  test("says nothing more after so many frames, though all lines end", async () => {
    const engine = await start();
    const leaving = new AbortController();
    await arm(engine, { fault: "bundle-hang", at: 2 });
    const response = await engine.bundle([short, short, short], { signal: leaving.signal });
    const answer = read(response);
    await expect.poll(() => engine.metric("vllm:generation_tokens_total")).toBe(9);
    await expect.poll(() => engine.metric(running)).toBe(0);
    leaving.abort();
    expect((await answer).frames).toHaveLength(2);
  });

  test("takes the route away, as where there is none", async () => {
    const engine = await start({ apiKey: "sesame" });
    const ask = async (path: string, key: string) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" };
      const body = JSON.stringify(short);
      const response = await fetch(engine.url + path, { method: "POST", body, headers });
      return [response.status, await response.text()];
    };
    await arm(engine, { fault: "bundle-404", count: 2 });
    for (const key of ["sesame", "wrong"]) {
      const missing = await ask("/v1/completions/bundle", key);
      expect(missing).toEqual(await ask("/v1/nowhere", key));
    }
    expect((await ask("/v1/completions/bundle", "sesame"))[0]).toBe(200);
  });

  test("never strikes a completion, and one of completions never a bundle", async () => {
    const engine = await start();
    for (const fault of ["bundle-404", "500"]) await arm(engine, { fault });
    expect((await engine.post(short)).status).toBe(500);
    expect((await engine.post(short)).status).toBe(200);
    expect((await engine.bundle([short])).status).toBe(404);
    expect((await engine.bundle([short])).status).toBe(200);
  });
});

test("a client that leaves frees the places of lines that run and of those that wait", async () => {
  const engine = await start({ tokenDelayMs: 5, maxRunning: 2 });
  const leaving = new AbortController();
  const lines = [long, { ...long, priority: 10 }, long, long];
  await engine.bundle(lines, { signal: leaving.signal });
  await expect.poll(() => engine.metric(running)).toBe(2);
  await expect.poll(() => engine.metric(waiting)).toBe(2);
  leaving.abort();
  await expect.poll(() => engine.metric(running)).toBe(0);
  expect(await engine.metric(waiting)).toBe(0);
  expect(await engine.metric("vllm:request_success_total", 'finished_reason="abort"')).toBe(4);
});

test("a live request goes before the lines that let it", async () => {
  const engine = await start();
  const order: string[] = [];
  const lines = Array.from({ length: 5 }, () => ({ ...long, priority: 10 }));
  // Its head comes when the lines have begun, and they are at work for long.
  const job = read(await engine.bundle(lines), 1).then(() => order.push("job"));
  await Promise.all([job, engine.complete(long).then(() => order.push("live"))]);
  expect(order[0]).toBe("live");
});
