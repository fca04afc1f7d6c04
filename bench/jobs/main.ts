// `npm run bench:jobs`: what a Job makes of the engine beside clients that stand right before it, what
// it does to live Completions, and what taking one in costs. A stack of its own, which goes afterwards.
import { parseArgs } from "node:util";
import { workerdOf } from "../../test/chaos/kill.ts";
import { Engine } from "../../test/e2e/engine.ts";
import { newPerson } from "../../test/e2e/person.ts";
import { learnOnce, type Stack, startStack } from "../../test/e2e/stack-process.ts";
import { median } from "../measure/statistics.ts";
import { alignedRows } from "../report/table.ts";
import { BareLoop } from "./bare-loop.ts";
import { post, rate } from "./direct.ts";
import { liveMs, RunningJob } from "./running-job.ts";
import { submitLines } from "./submitting.ts";

const help = `npm run bench:jobs -- [options]
  --items N            of the Job that is compared (10000)
  --max-tokens N       of each item (16)
  --clients N          right before the engine (64)
  --token-delay-ms N   of the engine, as a GPU has it; 0 is as fast as one thread goes (0)
  --live N             Completions one after the other, without and with a Job (200)
  --lines N            of the Job that is only taken in (50000)
  --alone              as with an engine that has no route for several Completions in one request
  --rounds N           of each comparison; ratios are within a round (3)`;

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "10000" },
    "max-tokens": { type: "string", default: "16" },
    clients: { type: "string", default: "64" },
    "token-delay-ms": { type: "string", default: "0" },
    live: { type: "string", default: "200" },
    lines: { type: "string", default: "50000" },
    alone: { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    help: { type: "boolean", default: false },
  },
});

const params = { max_tokens: Number(values["max-tokens"]), ignore_eos: true };
/** No Job here waits for tokens. */
const PLENTY = 10_000_000_000;

/** Of requests that an engine without the route refuses: more than come. */
const MANY = 1_000_000;

const rows: string[][] = [["round", "what", "compared to", "measured", "ratio"]];

async function main(): Promise<void> {
  if (values.help) {
    console.log(help);
    return;
  }
  learnOnce();
  const tokenDelayMs = Number(values["token-delay-ms"]);
  const started = await startStack({ tokenDelayMs, faults: values.alone });
  const { child, stop } = started;
  // Behind an engine that takes its time, six calls at once are bounded by nothing but that.
  const loop = tokenDelayMs === 0 ? await BareLoop.start(started.stack) : null;
  try {
    const { key } = await newPerson(started.stack, { tokens: PLENTY });
    const stack = { ...started.stack, key };
    if (values.alone) await new Engine(stack).arm("bundle-404", { count: MANY });
    const rates: number[] = [];
    const bounds: number[] = [];
    const lives: number[] = [];
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      const { direct, ratio } = await compareRates(stack, round);
      rates.push(ratio);
      if (loop !== null) bounds.push(await compareLoop(loop, direct, round));
      lives.push(await compareLive(stack, round));
    }
    rows.push(["median", "items/s", "", "", median(rates).toFixed(2)]);
    if (loop !== null) {
      rows.push(["median", "items/s, bare loop", "", "", median(bounds).toFixed(2)]);
    }
    rows.push(["median", "live p50, ms", "", "", median(lives).toFixed(2)]);
    console.log(alignedRows(rows));
    const lines = Number(values.lines);
    if (lines > 0) await takeIn(stack, lines, workerdOf(child.pid ?? 0));
  } finally {
    await loop?.stop();
    await stop();
  }
}

/** What share of the rate of direct clients a Job has. */
async function compareRates(stack: Stack, round: number) {
  const items = Number(values.items);
  const url = `${stack.engine}/v1/completions`;
  const direct = await rate(items, Number(values.clients), (at, agent) =>
    post({ url, key: stack.engineKey, body: bodyOf(at) }, agent),
  );
  const prompts = Array.from({ length: items }, (_, at) => promptOf(at));
  const job = await (await RunningJob.submit(stack, prompts, params)).rate();
  note(round, "items/s", direct, job);
  return { direct, ratio: job / direct };
}

/** What share of it a bare Worker has that makes a call for each item, and nothing else. */
async function compareLoop(loop: BareLoop, direct: number, round: number): Promise<number> {
  const bare = await loop.rate(Array.from({ length: Number(values.items) }, (_, at) => bodyOf(at)));
  note(round, "items/s, bare loop", direct, bare);
  return bare / direct;
}

/** How many times as long a live Completion takes while a Job runs. */
async function compareLive(stack: Stack, round: number): Promise<number> {
  const count = Number(values.live);
  await liveMs(stack, 20, params);
  const alone = await liveMs(stack, count, params);
  // Long enough to outlast the live ones.
  const prompts = Array.from({ length: Number(values.lines) || 50_000 }, (_, at) => promptOf(at));
  const job = await RunningJob.submit(stack, prompts, params);
  await job.started();
  const beside = await liveMs(stack, count, params);
  await job.cancel();
  note(round, "live p50, ms", alone, beside);
  return beside / alone;
}

async function takeIn(stack: Stack, lines: number, workerd: number): Promise<void> {
  const { bytes, answeredMs, memory } = await submitLines(stack, lines, workerd);
  const megabytes = (bytes / 1e6).toFixed(1);
  console.log(
    `\n${lines} lines (${megabytes} MB): answered ${Math.round(answeredMs)} ms after the last ` +
      `byte; workerd had ${memory.before} MB before and ${memory.most} MB at most.`,
  );
}

function note(round: number, what: string, comparedTo: number, measured: number): void {
  const ratio = (measured / comparedTo).toFixed(2);
  const row = [String(round), what, comparedTo.toFixed(1), measured.toFixed(1), ratio];
  rows.push(row);
  console.error(row.join("  "));
}

function bodyOf(at: number): object {
  return { model: "local", prompt: promptOf(at), seed: at, ...params };
}

function promptOf(at: number): string {
  return `Item ${at}: Call me`;
}

await main();
