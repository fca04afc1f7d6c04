import { afterEach, describe, expect, test } from "vitest";
import { ColdStart } from "../../infra/local/engine/cold-start.ts";
import { firstChoice, startTestEngine, type TestEngine } from "./calling.ts";

const started: TestEngine[] = [];
afterEach(() => Promise.all(started.splice(0).map((engine) => engine.close())));

async function start(options: Parameters<typeof startTestEngine>[0]): Promise<TestEngine> {
  const engine = await startTestEngine(options);
  started.push(engine);
  return engine;
}

const running = "vllm:num_requests_running";
const waiting = "vllm:num_requests_waiting";
const long = { prompt: "It was the", max_tokens: 4000, ignore_eos: true };

describe("a client that leaves", () => {
  test.each([
    ["a stream", { stream: true }],
    ["a stream of several choices", { stream: true, n: 5 }],
    ["a plain answer", {}],
    ["a plain answer to several prompts", { prompt: ["a", "b", "c"] }],
  ])("in the middle of %s frees every place", async (_name, body) => {
    const engine = await start({ tokenDelayMs: 5 });
    const leaving = new AbortController();
    const answer = engine.post({ ...long, ...body }, { signal: leaving.signal });
    answer.catch(() => undefined);
    await expect.poll(() => engine.metric(running)).toBeGreaterThan(0);
    await expect.poll(() => engine.metric("vllm:generation_tokens_total")).toBeGreaterThan(5);
    leaving.abort();
    await expect.poll(() => engine.metric(running)).toBe(0);
    const ended = await engine.metric("vllm:request_success_total", 'finished_reason="abort"');
    expect(ended).toBeGreaterThan(0);
  });

  test("while it waits is forgotten", async () => {
    const engine = await start({ tokenDelayMs: 5, maxRunning: 1 });
    const leaving = new AbortController();
    for (const _ of [1, 2]) {
      engine.post(long, { signal: leaving.signal }).catch(() => undefined);
    }
    await expect.poll(() => engine.metric(waiting)).toBe(1);
    leaving.abort();
    await expect.poll(() => engine.metric(waiting)).toBe(0);
    await expect.poll(() => engine.metric(running)).toBe(0);
  });
});

test("the lower priority number steps first, so what came last of all ends first", async () => {
  const engine = await start({});
  const order: string[] = [];
  const ask = (name: string, priority: number) =>
    engine.complete({ ...long, max_tokens: 2000, priority }).then(() => order.push(name));
  const jobs = Array.from({ length: 5 }, () => ask("job", 10));
  await expect.poll(() => engine.metric(running)).toBe(5);
  await Promise.all([...jobs, ask("live", 0)]);
  expect(order[0]).toBe("live");
});

test("beyond the places sequences wait, and the lower priority number goes first", async () => {
  const engine = await start({ tokenDelayMs: 1, maxRunning: 1 });
  const leaving = new AbortController();
  engine.post(long, { signal: leaving.signal }).catch(() => undefined);
  await expect.poll(() => engine.metric(running)).toBe(1);
  const order: string[] = [];
  const ask = async (name: string, priority: number, queued: number) => {
    const answer = engine.complete({ prompt: "a", max_tokens: 1, priority });
    await expect.poll(() => engine.metric(waiting)).toBe(queued);
    return { done: answer.then(() => order.push(name)) };
  };
  const jobs = [await ask("job", 10, 1), await ask("live", 0, 2)];
  leaving.abort();
  await Promise.all(jobs.map(({ done }) => done));
  expect(order).toEqual(["live", "job"]);
});

test("counts tokens and requests as the answers report them", async () => {
  const engine = await start({});
  const answers = [
    await engine.complete({ prompt: [1, 2, 3], max_tokens: 5, n: 2 }),
    await engine.complete({ prompt: "It was the", max_tokens: 3 }),
  ];
  const sum = (name: "prompt_tokens" | "completion_tokens") =>
    answers.reduce((total, { usage }) => total + usage[name], 0);
  expect(await engine.metric("vllm:prompt_tokens_total")).toBe(sum("prompt_tokens"));
  expect(await engine.metric("vllm:generation_tokens_total")).toBe(sum("completion_tokens"));
  expect(await engine.metric("engine:completion_requests_total")).toBe(2);
});

test("the fixed answer obeys max_tokens, n and usage", async () => {
  const engine = await start({ fast: true });
  const answer = await engine.complete({ prompt: "It was the", max_tokens: 3, n: 2 });
  expect(answer.choices.map((choice) => choice.text)).toEqual([
    " The quick brown",
    " The quick brown",
  ]);
  expect(answer.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 6, total_tokens: 9 });
});

describe("a cold start", () => {
  test("answers 503 to all but version and metrics until it is over", async () => {
    const engine = await start({ coldStartSeconds: 3600 });
    const status = async (path: string) => (await fetch(engine.url + path)).status;
    expect(await status("/health")).toBe(503);
    expect((await engine.post({ prompt: "a" })).status).toBe(503);
    expect(await status("/version")).toBe(200);
    expect(await status("/metrics")).toBe(200);
  });

  test("begins with the first request and takes its time", () => {
    const cold = new ColdStart(10, 0);
    expect(cold.touch(1_000)).toBe(false);
    expect(cold.touch(10_999)).toBe(false);
    expect(cold.touch(11_000)).toBe(true);
    expect(cold.touch(9_999_999)).toBe(true);
  });

  test("comes again after the idle time, counted from the last request's end", () => {
    const cold = new ColdStart(10, 60);
    cold.touch(1_000);
    expect(cold.touch(11_000)).toBe(true);
    const end = cold.use(() => 200_000);
    expect(cold.touch(150_000)).toBe(true);
    end();
    expect(cold.touch(259_999)).toBe(true);
    expect(cold.touch(330_000)).toBe(false);
    expect(cold.touch(340_000)).toBe(true);
  });

  test("is over after its time, over HTTP", async () => {
    const engine = await start({ coldStartSeconds: 1, idleSeconds: 3600 });
    await expect
      .poll(async () => (await engine.post({ prompt: "a" })).status, { timeout: 9_000 })
      .toBe(200);
  });

  test("is none unless asked for", async () => {
    const engine = await start({});
    expect(firstChoice(await engine.complete({ prompt: "a", max_tokens: 1 })).index).toBe(0);
  });
});
