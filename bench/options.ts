import { parseArgs } from "node:util";
import { type TargetName, targetNames } from "./peers/target.ts";

export const measureNames = ["latency", "throughput", "ttft", "stream", "large", "paced"] as const;
export type MeasureName = (typeof measureNames)[number];

export interface BenchOptions {
  rounds: number;
  only: readonly MeasureName[];
  peers: readonly TargetName[];
  json: string | null;
  /** Another program with the local engine's command line. */
  engineEntry: string | null;
}

const DEFAULT_ROUNDS = 5;

export const usage = `npm run bench -- [--rounds N] [--only ${measureNames.join(",")}]
                [--peers ${targetNames.slice(1).join(",")}] [--json FILE] [--engine-entry FILE]`;

/** Throws a sentence for a person when an option is wrong. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: String(DEFAULT_ROUNDS) },
      only: { type: "string", default: measureNames.join(",") },
      peers: { type: "string", default: targetNames.join(",") },
      json: { type: "string" },
      "engine-entry": { type: "string" },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a number from 1");
  return {
    rounds,
    only: pick("--only", values.only, measureNames),
    peers: pick("--peers", values.peers, targetNames),
    json: values.json ?? null,
    engineEntry: values["engine-entry"] ?? null,
  };
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
    throw new Error(`${option} knows ${known.join(", ")}, not "${unknown}"`);
  }
  return known.filter((name) => asked.includes(name));
}
