import { parseArgs } from "node:util";
import { type TargetName, targetNames } from "./peers/target.ts";

const measureNames = [
  "latency",
  "throughput",
  "ttft",
  "stream",
  "large",
  "paced",
  "model",
] as const;
export type MeasureName = (typeof measureNames)[number];

export interface BenchOptions {
  rounds: number;
  only: readonly MeasureName[];
  peers: readonly TargetName[];
  json: string | null;
}

const DEFAULT_ROUNDS = 5;

export const usage = `npm run bench -- [--rounds N] [--only ${measureNames.join(",")}]
                [--peers ${targetNames.slice(1).join(",")}] [--json FILE]`;

/** What is wrong with an option, in a sentence for whoever typed it. */
export class OptionProblem extends Error {
  override name = "OptionProblem";
}

export function parseOptions(args: readonly string[]): BenchOptions {
  const values = parse(args);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new OptionProblem("--rounds takes a number from 1");
  return {
    rounds,
    only: pick("--only", values.only, measureNames),
    peers: pick("--peers", values.peers, targetNames),
    json: values.json ?? null,
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: "string", default: String(DEFAULT_ROUNDS) },
        only: { type: "string", default: measureNames.join(",") },
        peers: { type: "string", default: targetNames.join(",") },
        json: { type: "string" },
      },
    });
    return values;
  } catch (problem) {
    throw new OptionProblem(problem instanceof Error ? problem.message : String(problem));
  }
}

/** In the order of `known`, whatever order they were asked in. */
function pick<Name extends string>(
  option: string,
  text: string,
  known: readonly Name[],
): readonly Name[] {
  const asked = text.split(",").map((name) => name.trim());
  const unknown = asked.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) {
    throw new OptionProblem(`${option} knows ${known.join(", ")}, not "${unknown}"`);
  }
  return known.filter((name) => asked.includes(name));
}
