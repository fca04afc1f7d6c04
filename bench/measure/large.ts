import { readFileSync } from "node:fs";
import type { Target, TargetName } from "../peers/target.ts";
import type { Figure, Measured } from "./figure.ts";
import { meterTree } from "./process-tree.ts";
import { type Bench, interleave, send, valuesOf } from "./rounds.ts";

const WANTED_BYTES = 256e6;
/** Small answers that tell how large a row is, and whether a target passes whole rows on. */
const PROBE_TOKENS = 3;

export interface LargeSource {
  key: string;
  title: string;
}

/** Ready-made rows, written faster than any engine computes them: what a copy costs. */
export const readyRows: LargeSource = { key: "large", title: "answer" };

/** Rows that the local engine's model computes, as engines do. */
export const computedRows: LargeSource = { key: "model", title: "computed answer" };

interface LargeAnswer {
  megabytes: number;
  wallMs: number;
  cpuMsPerMegabyte: number | null;
  growthMb: number | null;
}

/** A whole-vocabulary answer of 256 MB: wall time, the server's CPU, how far its memory grows. */
export async function measureLarge(bench: Bench, source: LargeSource): Promise<Measured> {
  const direct = bench.targets.find(({ name }) => name === "direct");
  if (direct === undefined) throw new Error("a large answer needs direct to compare with");
  const one = await answerBytes(bench, direct, PROBE_TOKENS - 1);
  const two = await answerBytes(bench, direct, PROBE_TOKENS);
  const tokens = Math.min(Math.ceil(WANTED_BYTES / (two - one)) + 1, mostTokens());
  const { able, remarks } = await whoPassesItOn(bench, two);
  const results = await interleave(
    { ...bench, targets: able },
    {
      title: `large ${source.title}`,
      turns: 1,
      take: (target) => fetchLarge(bench, target, tokens),
      join: ([answer]) => answer ?? noAnswer(),
    },
  );
  const megabytes = results.get("direct")?.[0]?.megabytes ?? 0;
  return { figures: figuresOf(results, source, `${megabytes.toFixed(0)} MB`), remarks };
}

function figuresOf(
  results: Map<TargetName, LargeAnswer[]>,
  { key, title: kind }: LargeSource,
  size: string,
): Figure[] {
  const title = `${size} ${kind}`;
  return [
    {
      key: `${key}_wall`,
      title: `${title}: wall`,
      unit: "ms",
      digits: 0,
      shown: "own",
      overRounds: "median",
      values: valuesOf(results, ({ wallMs }) => wallMs),
    },
    {
      key: `${key}_cpu`,
      title: `${title}: server's CPU`,
      unit: "ms/MB",
      digits: 2,
      shown: "apart",
      overRounds: "median",
      values: valuesOf(results, ({ cpuMsPerMegabyte }) => cpuMsPerMegabyte),
    },
    {
      key: `${key}_memory`,
      title: `${title}: peak memory growth`,
      unit: "MB",
      digits: 0,
      shown: "apart",
      overRounds: "max",
      values: valuesOf(results, ({ growthMb }) => growthMb),
    },
  ];
}

/** A target that drops the field would win by answering another question; it is left out. */
async function whoPassesItOn(
  bench: Bench,
  directBytes: number,
): Promise<{ able: Target[]; remarks: string[] }> {
  const able: Target[] = [];
  const remarks: string[] = [];
  for (const target of bench.targets) {
    const bytes = await answerBytes(bench, target, PROBE_TOKENS);
    if (bytes > directBytes * 0.9) {
      able.push(target);
    } else {
      remarks.push(
        `${target.name} drops prompt_logprobs: ${bytes} bytes where direct has ${directBytes}.`,
      );
    }
  }
  return { able, remarks };
}

async function answerBytes(bench: Bench, target: Target, tokens: number): Promise<number> {
  const { exchanges } = await send(bench, target, wholeVocabulary(tokens), once);
  return exchanges[0]?.bodyBytes ?? 0;
}

async function fetchLarge(bench: Bench, target: Target, tokens: number): Promise<LargeAnswer> {
  const meter = meterTree(target.pid);
  const { exchanges } = await send(bench, target, wholeVocabulary(tokens), once);
  const used = meter?.read() ?? null;
  const { bodyBytes, totalMs } = exchanges[0] ?? noAnswer();
  const megabytes = bodyBytes / 1e6;
  return {
    megabytes,
    wallMs: totalMs,
    cpuMsPerMegabyte: used === null ? null : used.cpuMs / megabytes,
    growthMb: used === null ? null : used.peakGrowthMb,
  };
}

function noAnswer(): never {
  throw new Error("a large answer was asked for and none came");
}

const once = { connections: 1, warmUps: 0, until: { exchanges: 1 } } as const;

function wholeVocabulary(tokens: number): Record<string, unknown> {
  const prompt = Array.from({ length: tokens }, (_, index) => 100 + index * 37);
  return { prompt, max_tokens: 1, temperature: 0, seed: 1, prompt_logprobs: -1 };
}

/** The catalogue's caps: beyond them Continuo refuses, rightly. */
function mostTokens(): number {
  const file = new URL("../../infra/models.json", import.meta.url);
  const { models } = JSON.parse(readFileSync(file, "utf8")) as {
    models: { vocab_size: number; max_logprob_cells: number; whole_vocabulary_tokens: number }[];
  };
  const [model] = models;
  if (model === undefined) throw new Error("the catalogue is empty");
  const byCells = Math.floor(model.max_logprob_cells / (model.vocab_size + 1));
  return Math.min(byCells, model.whole_vocabulary_tokens);
}
