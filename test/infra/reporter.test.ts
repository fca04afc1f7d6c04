import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../e2e/until.ts";
import { DATA_FOLDER } from "../engine/calling.ts";
import { type ReportReceiver, receiveReports } from "./report-receiver.ts";
import { freePort, type ReporterProcess, startReporter } from "./reporter-process.ts";

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const vllmKey = `key-${randomBytes(12).toString("hex")}`;

async function receiving(): Promise<ReportReceiver> {
  const receiver = await receiveReports(secret);
  onTestFinished(() => receiver.close());
  return receiver;
}

function environment(receiver: ReportReceiver, port: number): Record<string, string> {
  return {
    CONTINUO_URL: `${receiver.url}/`,
    CONTINUO_REPORT_SECRET: secret,
    CONTINUO_MODEL: "local",
    CONTINUO_GPU: "H200",
    CONTINUO_GPU_COUNT: "8",
    CONTINUO_BEAT_SECONDS: "0.2",
    VLLM_URL: `http://127.0.0.1:${port}`,
    VLLM_API_KEY: vllmKey,
  };
}

/** The shell says its id and becomes the engine, so that a test can kill just that. */
function engineCommand(port: number): string[] {
  const engine = `infra/local/engine/main.ts --port ${port} --data ${DATA_FOLDER}`;
  return ["sh", "-c", `echo "engine is $$"; exec "${process.execPath}" ${engine}`];
}

const types = (receiver: ReportReceiver) => receiver.reports.map(({ type }) => type);
const first = (receiver: ReportReceiver, type: string) =>
  until(
    type,
    () => receiver.reports.find((report) => report.type === type),
    (report) => report !== undefined,
  );

async function withEngine(
  others: Record<string, string> = {},
): Promise<{ receiver: ReportReceiver; reporter: ReporterProcess }> {
  const receiver = await receiving();
  const port = await freePort();
  const variables = { ...environment(receiver, port), ...others };
  const reporter = startReporter(variables, engineCommand(port));
  await first(receiver, "container.ready");
  return { receiver, reporter };
}

test("a container reports that it started, is ready, still runs with vLLM's figures, and stops", async () => {
  const { receiver, reporter } = await withEngine();
  const beat = await until(
    "a beat after ready",
    () => receiver.reports[types(receiver).indexOf("container.ready") + 1],
    (report) => report !== undefined,
  );
  reporter.process.kill("SIGTERM");
  expect(await reporter.ended).toBe(0);

  expect(receiver.problems).toEqual([]);
  const [started] = receiver.reports;
  expect(started).toMatchObject({
    type: "container.started",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { model: "local", sequence: 0, gpu: "H200", gpu_count: 8, metrics: null },
  });
  expect(Object.keys(started?.data ?? {})).toEqual(
    "model container sequence uptime_ms gpu gpu_count started_at metrics".split(" "),
  );
  expect(started?.data.container).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  // The one token that proved it ready is in the counters.
  expect(beat?.data.metrics).toEqual({
    running: 0,
    waiting: 0,
    generation_tokens: 1,
    prompt_tokens: 1,
  });
  expect(types(receiver).at(-1)).toBe("container.stopping");
  expect(types(receiver).filter((type) => type !== "container.beat")).toEqual([
    "container.started",
    "container.ready",
    "container.stopping",
  ]);
});

test("each report of a container counts one up, on a clock that never goes back", async () => {
  // Without beats: one that was not delivered in time is dropped, and only counted.
  const { receiver, reporter } = await withEngine({ CONTINUO_BEAT_SECONDS: "3600" });
  reporter.process.kill("SIGINT");
  await reporter.ended;
  const { reports } = receiver;
  expect(reports.map(({ data }) => data.sequence)).toEqual([0, 1, 2]);
  const uptimes = reports.map(({ data }) => data.uptime_ms);
  expect(uptimes).toEqual(uptimes.toSorted((a, b) => a - b));
  expect(new Set(reports.map(({ data }) => `${data.container} ${data.started_at}`)).size).toBe(1);
  expect(receiver.tries.every(({ path }) => path === "/webhooks/inference")).toBe(true);
});

test("when vLLM is killed the container reports that it stops, and ends as vLLM did", async () => {
  const { receiver, reporter } = await withEngine();
  const [, pid] = /engine is (\d+)/.exec(reporter.output()) ?? [];
  process.kill(Number(pid), "SIGKILL");
  expect(await reporter.ended).toBe(128 + 9);
  expect(types(receiver).at(-1)).toBe("container.stopping");
});

test("a receiver that was down hears of the start when it is back, and of no old beats", async () => {
  const receiver = await receiving();
  receiver.mood = "refuses";
  startReporter(environment(receiver, await freePort()));
  await until(
    "a second try",
    () => receiver.tries.length,
    (count) => count >= 2,
  );
  receiver.mood = "takes";
  const beat = await first(receiver, "container.beat");
  expect(types(receiver).slice(0, 2)).toEqual(["container.started", "container.beat"]);
  // Tried again it is the same report, which a receiver that took it after all knows by its id.
  const tries = receiver.tries.filter(({ body }) => body.includes("container.started"));
  expect(new Set(tries.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  // Those between were made and dropped: the count says how many.
  expect(beat?.data.sequence).toBeGreaterThan(1);
  expect(receiver.problems).toEqual([]);
});

test("without vLLM there is no ready, and beats have no figures", async () => {
  const receiver = await receiving();
  startReporter(environment(receiver, await freePort()));
  const beat = await first(receiver, "container.beat");
  expect(beat?.data.metrics).toBeNull();
  expect(types(receiver)).not.toContain("container.ready");
});

test("vLLM's figures are summed over its engines, however it prints numbers", async () => {
  const page = [
    "# TYPE vllm:num_requests_running gauge",
    'vllm:num_requests_running{engine="0",model_name="local"} 3.0',
    'vllm:num_requests_running{engine="1",model_name="local"} 4.0',
    'vllm:num_requests_waiting{engine="0",model_name="local"} 0.0',
    'vllm:generation_tokens_total{engine="0",model_name="local"} 1.25e+06',
    'vllm:generation_tokens_created{engine="0",model_name="local"} 1.7e+09',
    'vllm:prompt_tokens_total{engine="0",model_name="local"} 12.0',
  ];
  const port = await freePort();
  const vllm = createServer((request, response) => {
    if (request.url !== "/metrics") response.statusCode = 503;
    response.end(page.join("\n"));
  }).listen(port, "127.0.0.1");
  onTestFinished(() => void vllm.close());
  const receiver = await receiving();
  startReporter(environment(receiver, port));
  const beat = await first(receiver, "container.beat");
  expect(beat?.data.metrics).toEqual({
    running: 7,
    waiting: 0,
    generation_tokens: 1_250_000,
    prompt_tokens: 12,
  });
});

test("a receiver that hangs keeps neither vLLM from its signal nor the container from its end", async () => {
  const receiver = await receiving();
  receiver.mood = "hangs";
  const port = await freePort();
  const reporter = startReporter(environment(receiver, port), engineCommand(port));
  await until("vLLM", reporter.output, (output) => output.includes('"url"'));
  reporter.process.kill("SIGTERM");
  expect(await reporter.ended).toBe(0);
  expect(receiver.tries.some(({ body }) => body.includes("container.stopping"))).toBe(true);
});

test("no secret reaches the output or vLLM's environment", async () => {
  const receiver = await receiving();
  receiver.mood = "refuses";
  const port = await freePort();
  const reporter = startReporter(environment(receiver, port), ["sh", "-c", "env; sleep 0.3"]);
  expect(await reporter.ended).toBe(0);
  expect(reporter.output()).toContain("CONTINUO_MODEL=local");
  expect(reporter.output()).toContain("was not taken (HTTP 503)");
  expect(reporter.output()).not.toContain(secret.slice("whsec_".length));
});

const wrong: [string, string, string][] = [
  ["CONTINUO_URL", "", "CONTINUO_URL must be set"],
  ["CONTINUO_URL", "example.org", "CONTINUO_URL must be like https://api.example.org"],
  ["CONTINUO_GPU_COUNT", "eight", "CONTINUO_GPU_COUNT must be a number, not negative"],
  ["CONTINUO_REPORT_SECRET", "whsec_c2hvcnQ=", "at least 24 random bytes"],
  ["CONTINUO_REPORT_SECRET", "whsec_é", "CONTINUO_REPORT_SECRET must be whsec_"],
];
test.each(wrong)(
  "%s = %j is said by its name before vLLM starts",
  async (name, value, sentence) => {
    const receiver = await receiving();
    const variables = { ...environment(receiver, await freePort()), [name]: value };
    const reporter = startReporter(variables, ["echo", "vLLM started"]);
    expect(await reporter.ended).toBe(1);
    expect(reporter.output()).toContain(sentence);
    expect(reporter.output().trim().split("\n")).toHaveLength(1);
    expect(receiver.tries).toEqual([]);
  },
);
