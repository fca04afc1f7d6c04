// `npm run drill:leak`: a key leaks, twenty times; then ten thousand made-up keys knock.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newPerson } from "../../test/e2e/person.ts";
import { learnOnce, newDataFolder, type Stack, startStack } from "../../test/e2e/stack-process.ts";
import { type Drill, leakDrill } from "./drill.ts";

const RUNS = 20;
const MADE_UP_KEYS = 10_000;
const AT_ONCE = 50;

/** Streams that have just begun, and those that have run past the first renewal: 0.5 to 10 s. */
const runsMs = (run: number) => 500 + (run * 9_500) / (RUNS - 1);

function figures(name: string, values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN;
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return `${name}: median ${ms(at(0.5))}, least ${ms(at(0))}, most ${ms(at(1))}`;
}

async function drills(stack: Stack): Promise<void> {
  const results: { run: number; ranMs: number; drill: Drill }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const drill = await leakDrill(await newPerson(stack), runsMs(run));
    results.push({ run, ranMs: runsMs(run), drill });
    const { firstRefusalMs, streamEndMs } = drill;
    console.log(
      `run ${run + 1}: a stream of ${(runsMs(run) / 1_000).toFixed(1)} s; first 401 after ` +
        `${firstRefusalMs.toFixed(0)} ms, the stream's end after ${streamEndMs.toFixed(0)} ms`,
    );
  }
  const all = results.map(({ drill }) => drill);
  console.log(
    figures(
      "webhook answered",
      all.map(({ answeredMs }) => answeredMs),
    ),
  );
  console.log(
    figures(
      "first 401",
      all.map(({ firstRefusalMs }) => firstRefusalMs),
    ),
  );
  console.log(
    figures(
      "stream's end",
      all.map(({ streamEndMs }) => streamEndMs),
    ),
  );
  const served = all.reduce((sum, { servedAfter }) => sum + servedAfter, 0);
  console.log(`requests served that began after the webhook's answer: ${served}`);
  console.log(`the loop was told: ${all[0]?.refusal}`);
  console.log(`the stream was told: ${all[0]?.streamError}`);
}

async function madeUpKeys(stack: Stack, data: string): Promise<void> {
  const before = objectsOnDisk(data);
  const statuses = new Map<number, number>();
  const began = performance.now();
  for (let i = 0; i < MADE_UP_KEYS; i += AT_ONCE) {
    const tries = Array.from({ length: AT_ONCE }, (_, j) => knock(stack, i + j));
    for (const status of await Promise.all(tries))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const seconds = (performance.now() - began) / 1_000;
  const answers = [...statuses].map(([status, count]) => `${count} times ${status}`).join(", ");
  const woken = objectsOnDisk(data) - before;
  console.log(`${MADE_UP_KEYS} made-up keys in ${seconds.toFixed(1)} s: ${answers}`);
  console.log(`objects woken by them: ${woken}`);
}

/** Without an address, so that the guard turns none away for having tried too often. */
async function knock(stack: Stack, number: number): Promise<number> {
  const account = number.toString(10).padStart(16, "0");
  const response = await fetch(`${stack.api}/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ctn_${account}_${"0".repeat(40)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: "local", prompt: "x", max_tokens: 1 }),
  });
  await response.text();
  return response.status;
}

/** Each object of ours has a database of its own as soon as it wakes. */
function objectsOnDisk(data: string): number {
  return readdirSync(join(data, "objects"), { recursive: true, encoding: "utf8" }).filter(
    (name) => /continuo/.test(name) && name.endsWith(".sqlite"),
  ).length;
}

learnOnce();
const data = newDataFolder();
const running = await startStack({ data, tokenDelayMs: 20 });
try {
  await drills(running.stack);
  await madeUpKeys(running.stack, data);
} finally {
  await running.stop();
  rmSync(data, { recursive: true, force: true });
}
