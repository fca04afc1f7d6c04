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

/** A measure of one target, done in several short turns a round, so that neighbours in time match. */
interface Turns<Turn, Result> {
  title: string;
  turns: number;
  take(target: Target): Promise<Turn>;
  /** One round's turns made into that round's result. */
  join(turns: Turn[]): Result;
}

/**
 * Gives every target its turn one after the other, beginning with another one each time, so that
 * none always runs first. The results of each target come round by round.
 */
export async function interleave<Turn, Result>(
  bench: Bench,
  { title, turns, take, join }: Turns<Turn, Result>,
): Promise<Map<TargetName, Result[]>> {
  const { targets, rounds } = bench;
  const results = new Map<TargetName, Result[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const taken = new Map<TargetName, Turn[]>(targets.map(({ name }) => [name, []]));
    for (let turn = 0; turn < turns; turn += 1) {
      const first = (round * turns + turn) % targets.length;
      for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
        bench.say(`${title}: round ${round + 1} of ${rounds}, ${target.name}`);
        taken.get(target.name)?.push(await take(target));
      }
    }
    for (const [name, all] of taken) results.get(name)?.push(join(all));
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
