import type { JobResult } from "../load/job.ts";
import type { LoadClient } from "../load/load-client.ts";
import { requestText } from "../load/request-text.ts";
import type { Target, TargetName } from "../peers/target.ts";
import type { Rounds } from "./statistics.ts";

export interface Bench {
  load: LoadClient;
  targets: readonly Target[];
  rounds: number;
  /** Tells a waiting person what runs now. */
  say(what: string): void;
}

/**
 * Measures every target once in each round, beginning with another one each time, so that none
 * always runs first or always after the same neighbour.
 */
export async function interleave<T>(
  bench: Bench,
  title: string,
  measureOne: (target: Target) => Promise<T>,
): Promise<Map<TargetName, T[]>> {
  const results = new Map<TargetName, T[]>(bench.targets.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.rounds; round += 1) {
    const first = round % bench.targets.length;
    for (const target of [...bench.targets.slice(first), ...bench.targets.slice(0, first)]) {
      bench.say(`${title}: round ${round + 1} of ${bench.rounds}, ${target.name}`);
      results.get(target.name)?.push(await measureOne(target));
    }
  }
  return results;
}

/** One value of each round's result, for each target. */
export function valuesOf<T>(
  results: ReadonlyMap<TargetName, readonly T[]>,
  value: (result: T) => number | null,
): Partial<Record<TargetName, Rounds>> {
  return Object.fromEntries([...results].map(([name, rounds]) => [name, rounds.map(value)]));
}

/** Sends the same completion on as many connections as asked, each as another person. */
export async function send(
  bench: Bench,
  target: Target,
  body: Readonly<Record<string, unknown>>,
  how: {
    connections: number;
    warmUps: number;
    until: { exchanges: number } | { milliseconds: number };
  },
): Promise<JobResult> {
  const { host, port, path, model } = target;
  const requests = Array.from({ length: how.connections }, (_, index) =>
    requestText({ host, port, path }, target.people[index] ?? {}, { model, ...body }),
  );
  try {
    return await bench.load.run({ host, port, requests, warmUps: how.warmUps, until: how.until });
  } catch (error) {
    throw new Error(`${target.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
