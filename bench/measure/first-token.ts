import type { Measured } from "./figure.ts";
import { smallCompletion } from "./latency.ts";
import { type Bench, interleave, send, valuesOf } from "./rounds.ts";
import { median } from "./statistics.ts";

const TURNS = 4;
const EXCHANGES = 50;
const WARM_UPS = 10;

/** What each target adds until the first bytes of a stream's body arrive. */
export async function measureFirstToken(bench: Bench): Promise<Measured> {
  const results = await interleave(bench, {
    title: "first token",
    turns: TURNS,
    take: async (target) => {
      const { exchanges } = await send(
        bench,
        target,
        { ...smallCompletion, stream: true },
        { connections: 1, warmUps: WARM_UPS, until: { exchanges: EXCHANGES } },
      );
      return exchanges.map(({ firstBodyMs }) => firstBodyMs);
    },
    join: (turns) => median(turns.flat()),
  });
  return {
    figures: [
      {
        key: "first_token",
        title: "added time to first token",
        unit: "ms",
        digits: 2,
        shown: "added",
        overRounds: "median",
        values: valuesOf(results, (time) => time),
      },
    ],
    remarks: [],
  };
}
