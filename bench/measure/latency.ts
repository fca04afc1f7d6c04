import type { Figure, Measured } from "./figure.ts";
import { type Bench, interleave, send, valuesOf } from "./rounds.ts";
import { quantile } from "./statistics.ts";

const TURNS = 4;
const EXCHANGES = 100;
const WARM_UPS = 20;

/** A small completion: what remains is what the way costs. */
export const smallCompletion = {
  prompt: "Call me Ishmael. Some years ago",
  max_tokens: 4,
  temperature: 0,
  seed: 1,
} as const;

/** What each target adds to one small completion after the other, on one connection. */
export async function measureLatency(bench: Bench): Promise<Measured> {
  const results = await interleave(bench, {
    title: "latency",
    turns: TURNS,
    take: async (target) => {
      const { exchanges } = await send(bench, target, smallCompletion, {
        connections: 1,
        warmUps: WARM_UPS,
        until: { exchanges: EXCHANGES },
      });
      return exchanges.map(({ totalMs }) => totalMs);
    },
    join: (turns) => turns.flat(),
  });
  const figures = [50, 90, 99].map(
    (percent): Figure => ({
      key: `latency_p${percent}`,
      title: `added p${percent}, 1 client`,
      unit: "ms",
      digits: 2,
      shown: "added",
      overRounds: "median",
      values: valuesOf(results, (times) => quantile(times, percent / 100)),
    }),
  );
  return { figures, remarks: [] };
}
