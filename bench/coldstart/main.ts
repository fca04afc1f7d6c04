// `npm run coldstart`: from zero to the first token, as people meet it: with the stock OpenAI SDK and
// its own retries, half of the clients plain, half streaming. Ends with 1 when any got no answer.
import { parseArgs } from "node:util";
import OpenAI from "openai";
import { quantile } from "../measure/statistics.ts";
import { alignedRows } from "../report/table.ts";
import { ModelWatch } from "./model-watch.ts";

const help = `npm run coldstart -- --model ID [options]
  --url URL         base URL (CONTINUO_URL, else http://127.0.0.1:8787/v1)
  --key KEY         API key (CONTINUO_KEY)
  --admin-key KEY   counts the Model's starts (CONTINUO_ADMIN_KEY)
  --clients N       at the same moment, half of them streaming (1)
  --max-tokens N    of each (4)
  --retries N       what the SDK may do by itself (2, its default)`;

const { values } = parseArgs({
  options: {
    url: { type: "string", default: process.env.CONTINUO_URL ?? "http://127.0.0.1:8787/v1" },
    key: { type: "string", default: process.env.CONTINUO_KEY ?? "" },
    "admin-key": { type: "string", default: process.env.CONTINUO_ADMIN_KEY ?? "" },
    model: { type: "string", default: "" },
    clients: { type: "string", default: "1" },
    "max-tokens": { type: "string", default: "4" },
    retries: { type: "string", default: "2" },
    help: { type: "boolean", default: false },
  },
});

interface Outcome {
  kind: "plain" | "stream";
  /** `answered`, or the error's code. */
  end: string;
  /** To the first token, or to the error. */
  seconds: number;
}

async function main(): Promise<number> {
  if (values.help || values.model === "" || values.key === "") {
    console.log(help);
    return values.help ? 0 : 2;
  }
  const clients = Number(values.clients);
  if (!Number.isInteger(clients) || clients < 1) {
    console.error("--clients takes a whole number from 1.");
    return 2;
  }
  const watch = new ModelWatch(values);
  const before = await watch.look();
  if (before.state !== "cold") {
    console.error(`${values.model} is ${before.state}; wait until it is cold and try again.`);
    return 2;
  }
  watch.begin();
  const outcomes = await Promise.all(Array.from({ length: clients }, (_, at) => ask(at)));
  const after = await watch.end();
  console.log(report(outcomes));
  console.log(`\n${values.model}: ${watch.story()}`);
  if (after.starts !== null) console.log(`starts: ${after.starts - (before.starts ?? 0)}`);
  return outcomes.every(({ end }) => end === "answered") ? 0 : 1;
}

async function ask(at: number): Promise<Outcome> {
  const kind = at % 2 === 0 ? "plain" : "stream";
  const client = new OpenAI({
    baseURL: values.url,
    apiKey: values.key,
    maxRetries: Number(values.retries),
  });
  const request = {
    model: values.model,
    prompt: "Call me",
    max_tokens: Number(values["max-tokens"]),
    seed: at,
  };
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  try {
    if (kind === "plain") {
      await client.completions.create(request);
      return { kind, end: "answered", seconds: seconds() };
    }
    let first: number | null = null;
    for await (const _ of await client.completions.create({ ...request, stream: true })) {
      first ??= seconds();
    }
    return { kind, end: "answered", seconds: first ?? seconds() };
  } catch (failure) {
    const code = failure instanceof OpenAI.APIError ? failure.code : null;
    return { kind, end: code ?? String(failure), seconds: seconds() };
  }
}

function report(outcomes: readonly Outcome[]): string {
  const rows: string[][] = [["", "outcome", "clients", "first", "median", "last"]];
  const groups = Map.groupBy(outcomes, ({ kind, end }) => `${kind}\t${end}`);
  for (const [name, group] of groups) {
    const times = group.map(({ seconds }) => seconds).sort((a, b) => a - b);
    const shown = [0, 0.5, 1].map((share) => `${quantile(times, share).toFixed(1)} s`);
    rows.push([...name.split("\t"), String(group.length), ...shown]);
  }
  return alignedRows(rows);
}

process.exitCode = await main();
