// `npm run drill:leak`: on the service as it is built, a key leaks, twenty times; then come deliveries that
// are forged, old or replayed, ten thousand made-up keys, and the end of Redis in the middle of load.
import { rmSync } from "node:fs";
import { startLocalRedis } from "../../infra/local/redis/redis-process.ts";
import { newPerson } from "../../test/e2e/person.ts";
import { learnOnce, newDataFolder, type Stack, startStack } from "../../test/e2e/stack-process.ts";
import { sendDeliveries } from "./deliveries.ts";
import { type Drill, leakDrill } from "./drill.ts";
import { tryMadeUpKeys } from "./made-up-keys.ts";
import { killRedisUnderLoad } from "./redis-killed.ts";

const RUNS = 20;
const MADE_UP_KEYS = 10_000;
const TOKEN_DELAY_MS = 20;

/** Behind so many addresses the guard shuts out those who fail too often. */
const ADDRESSES = Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`);

/** Streams that have just begun, and those that have run past the first renewal: 0.2 to 8 s. */
const runsMs = (run: number) => 200 * (8_000 / 200) ** (run / (RUNS - 1));

function spread(name: string, values: readonly number[], digits = 0): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN;
  const ms = (value: number) => `${value.toFixed(digits)} ms`;
  return `${name}: median ${ms(at(0.5))}, 99th percentile ${ms(at(0.99))}, most ${ms(at(1))}`;
}

function counted(values: readonly unknown[]): string {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} times ${value}`).join(", ");
}

async function drills(stack: Stack): Promise<void> {
  console.log(`\nA key leaks, ${RUNS} times, while four loops of the SDK and a stream use it`);
  const all: Drill[] = [];
  for (let run = 0; run < RUNS; run++) {
    const drill = await leakDrill(await newPerson(stack), runsMs(run));
    all.push(drill);
    const { firstRefusalMs, streamEndMs } = drill;
    console.log(
      `run ${run + 1}: a stream of ${(runsMs(run) / 1_000).toFixed(1)} s; first 401 after ` +
        `${firstRefusalMs.toFixed(0)} ms, the stream's end after ${streamEndMs.toFixed(0)} ms`,
    );
  }
  const each = (of: (drill: Drill) => number) => all.map(of);
  const [first] = all;
  console.log(
    spread(
      "webhook answered",
      each((drill) => drill.answeredMs),
    ),
  );
  console.log(
    spread(
      "first 401",
      each((drill) => drill.firstRefusalMs),
    ),
  );
  console.log(
    spread(
      "stream's end",
      each((drill) => drill.streamEndMs),
    ),
  );
  const servedAfter = all.reduce((sum, drill) => sum + drill.servedAfter, 0);
  console.log(`requests begun after the webhook's answer and served 200: ${servedAfter}`);
  console.log(
    spread(
      "the last of those that ran then ended after",
      each((drill) => drill.lastEndMs),
    ),
  );
  console.log(`the loops were told: ${first?.refusal}`);
  console.log(`the stream was told: ${first?.streamError}`);
}

async function deliveries(stack: Stack): Promise<void> {
  console.log("\nDeliveries that ask for a key to be revoked");
  for (const { what, answers, areSame, isGood, auditRows } of await sendDeliveries(stack)) {
    const same = answers.length > 1 ? ` (${areSame ? "the same" : "not the same"} bytes)` : "";
    const key = isGood ? "is good" : "is revoked";
    console.log(`${what}: ${answers.join(", ")}${same}; the key ${key}, audit rows: ${auditRows}`);
  }
}

async function madeUpKeys(stack: Stack, data: string): Promise<void> {
  console.log(`\n${MADE_UP_KEYS} made-up keys`);
  for (const addresses of [[], ADDRESSES]) {
    const { statuses, seconds, answerMs, healthMs, objectsWoken, objectsOfOnePerson } =
      await tryMadeUpKeys(stack, data, MADE_UP_KEYS, addresses);
    const from =
      addresses.length > 0 ? `from ${addresses.length} addresses` : "uncounted by the guard";
    const answers = [...statuses].map(([status, count]) => `${count} times ${status}`).join(", ");
    console.log(`${from}, in ${seconds.toFixed(1)} s: ${answers}`);
    console.log(`objects woken: ${objectsWoken} (by one new person: ${objectsOfOnePerson})`);
    console.log(spread("an answer alone", answerMs, 2));
    console.log(spread("one of /health, which does nothing", healthMs, 2));
  }
}

async function redisKilled(): Promise<void> {
  console.log("\nRedis is killed in the middle of load");
  const redis = await startLocalRedis();
  const { stack, child, stop } = await startStack({ redis });
  let log = "";
  child.stderr?.on("data", (text) => (log += text));
  child.stdout?.on("data", (text) => (log += text));
  try {
    const { statuses, beforeMs, afterMs, people, strangerHears } = await killRedisUnderLoad(
      stack,
      redis,
    );
    console.log(`Completions: ${counted(statuses)}`);
    console.log(spread("before", beforeMs));
    console.log(spread("after", afterMs));
    for (const { spent, answersSay, held, adds } of people)
      console.log(
        `a person's spent: ${spent}, by their answers: ${answersSay}; held: ${held}; ` +
          `granted = available + held + spent: ${adds}`,
      );
    console.log(`a stranger's failures after it: ${counted(strangerHears)}`);
    console.log(`the log says that the guard is open: ${log.includes("THE GUARD IS OPEN")}`);
  } finally {
    await stop();
    await redis.stop();
  }
}

learnOnce();
const data = newDataFolder();
const running = await startStack({ data, tokenDelayMs: TOKEN_DELAY_MS });
try {
  await drills(running.stack);
  await deliveries(running.stack);
  await madeUpKeys(running.stack, data);
} finally {
  await running.stop();
  rmSync(data, { recursive: true, force: true });
}
await redisKilled();
