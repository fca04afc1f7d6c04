// `npm run bench`: the order of everything. Starts the engine and every target, measures them in
// paired, interleaved rounds, prints one table, and takes all down again.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LoadClient } from "./load/load-client.ts";
import type { Figure, Measured } from "./measure/figure.ts";
import { measureFirstToken } from "./measure/first-token.ts";
import { computedRows, measureLarge, readyRows } from "./measure/large.ts";
import { measureLatency } from "./measure/latency.ts";
import type { Bench } from "./measure/rounds.ts";
import { measureStream, paced, pacedTokenDelayMs, unpaced } from "./measure/stream.ts";
import { measureThroughput } from "./measure/throughput.ts";
import { warmUp } from "./measure/warm-up.ts";
import {
  type BenchOptions,
  type MeasureName,
  OptionProblem,
  parseOptions,
  usage,
} from "./options.ts";
import type { EnginePace } from "./peers/engine.ts";
import { installPortkey } from "./peers/portkey.ts";
import { type Stage, startStage } from "./peers/stage.ts";
import type { Target } from "./peers/target.ts";
import { type MachineFacts, machineFacts } from "./report/machine.ts";
import { figureTable } from "./report/table.ts";
import { judge, verdictTable } from "./report/verdicts.ts";

const engineDirectory = fileURLToPath(new URL("../.local/bench-engine", import.meta.url));

const measures: Record<MeasureName, (bench: Bench) => Promise<Measured>> = {
  latency: measureLatency,
  throughput: measureThroughput,
  ttft: measureFirstToken,
  stream: (bench) => measureStream(bench, unpaced),
  large: (bench) => measureLarge(bench, readyRows),
  paced: (bench) => measureStream(bench, paced),
  model: (bench) => measureLarge(bench, computedRows),
};

/** What each stage measures, and how its engine answers meanwhile. */
const stages: readonly { names: readonly MeasureName[]; pace: EnginePace }[] = [
  {
    names: ["latency", "throughput", "ttft", "stream", "large"],
    pace: { fixedAnswers: true, tokenDelayMs: 0 },
  },
  { names: ["paced"], pace: { fixedAnswers: true, tokenDelayMs: pacedTokenDelayMs } },
  { names: ["model"], pace: { fixedAnswers: false, tokenDelayMs: 0 } },
];

interface Outcome {
  targets: readonly Target[];
  figures: Figure[];
  remarks: string[];
}

let running: Stage | null = null;
/** Asked to stop: what fails from then on fails for that reason. */
let stopping = false;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  stopWhenAsked();
  if (options.peers.includes("portkey")) await installPortkey();
  const facts = machineFacts();
  const load = new LoadClient();
  try {
    const outcome: Outcome = { targets: [], figures: [], remarks: [] };
    for (const { names, pace } of stages) {
      const asked = names.filter((name) => options.only.includes(name));
      if (asked.length > 0) await runStage(options, load, outcome, { names: asked, pace });
    }
    say("");
    report(options, facts, outcome);
  } finally {
    load.close();
  }
}

/** One engine with its targets; the next stage starts all anew. */
async function runStage(
  options: BenchOptions,
  load: LoadClient,
  outcome: Outcome,
  { names, pace }: { names: readonly MeasureName[]; pace: EnginePace },
): Promise<void> {
  const { peers, rounds } = options;
  say("starting the engine and its peers");
  mkdirSync(engineDirectory, { recursive: true });
  running = await startStage({ peers, engineDirectory, pace });
  try {
    const { targets } = running;
    outcome.targets = targets;
    const bench: Bench = { load, targets, rounds, say };
    await warmUp(bench);
    for (const name of names) {
      const { figures, remarks } = await measures[name](bench);
      outcome.figures.push(...figures);
      for (const remark of remarks)
        if (!outcome.remarks.includes(remark)) outcome.remarks.push(remark);
    }
  } catch (error) {
    const said = [
      error instanceof Error ? error.message : String(error),
      ...(await running.endings()),
    ];
    throw new Error(said.join("\n"));
  } finally {
    await running.stop();
    running = null;
  }
}

function report(options: BenchOptions, facts: MachineFacts, outcome: Outcome): void {
  const { targets, figures, remarks } = outcome;
  const verdicts = judge(figures);
  const notes = targets
    .filter(({ note }) => note !== "")
    .map(({ name, note }) => `${name}: ${note}`);
  const parts = [
    Object.entries(facts)
      .map(([name, fact]) => `${name}: ${fact}`)
      .join("\n"),
    figureTable(
      figures,
      targets.map(({ name }) => name),
    ),
    [
      `Medians over ${options.rounds} rounds, each compared within its round.`,
      ...remarks,
      ...notes,
    ].join("\n"),
  ];
  if (verdicts.length > 0) parts.push(verdictTable(verdicts));
  process.stdout.write(`${parts.join("\n\n")}\n`);
  if (options.json !== null) {
    const record = { facts, rounds: options.rounds, figures, verdicts, remarks, notes };
    writeFileSync(options.json, `${JSON.stringify(record, null, 2)}\n`);
  }
}

/** What runs now, on one line that the next overwrites; nothing where nobody watches. */
function say(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`);
}

function stopWhenAsked(): void {
  const stop = (): void => {
    stopping = true;
    const ended = running?.stop() ?? Promise.resolve();
    ended.finally(() => process.exit(130));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

try {
  await main();
} catch (error) {
  say("");
  if (!stopping)
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof OptionProblem) process.stderr.write(`\n${usage}\n`);
  process.exitCode = 1;
}
