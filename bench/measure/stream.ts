import type { Exchange } from "../load/job.ts";
import type { Measured } from "./figure.ts";
import { type Bench, interleave, send, valuesOf } from "./rounds.ts";
import { interquartileRange, median } from "./statistics.ts";

const TOKENS = 1_000;
/** An engine may join a few tokens in one event, but a buffered answer must not pass for a stream. */
const LEAST_EVENTS = TOKENS / 2;

export interface StreamPace {
  key: string;
  title: string;
  turns: number;
  connections: number;
  warmUps: number;
  exchanges: number;
}

/** As fast as the engine writes: what a token costs where nothing hides the cost. */
export const unpaced: StreamPace = {
  key: "stream",
  title: "added a token, unpaced",
  turns: 3,
  connections: 1,
  warmUps: 1,
  exchanges: 5,
};

/** As real models write: the engine waits before each token, and the way has time for each. */
export const pacedTokenDelayMs = 2;
export const paced: StreamPace = {
  key: "paced",
  title: `added a token, one per ${pacedTokenDelayMs} ms`,
  turns: 1,
  connections: 8,
  warmUps: 0,
  exchanges: 1,
};

/** What each target adds to a token of a stream of 1,000, from the first one to the end. */
export async function measureStream(bench: Bench, pace: StreamPace): Promise<Measured> {
  const direct: number[] = [];
  const results = await interleave(bench, {
    title: `${pace.key} of ${TOKENS} tokens`,
    turns: pace.turns,
    take: async (target) => {
      const { connections, warmUps, exchanges: count } = pace;
      const body = { prompt: "Once", max_tokens: TOKENS, ignore_eos: true, seed: 1, stream: true };
      const how = { connections, warmUps, until: { exchanges: count } };
      const { exchanges } = await send(bench, target, body, how);
      const times = exchanges.map((exchange) => microsecondsPerToken(exchange, target.name));
      if (target.name === "direct") direct.push(...times);
      return times;
    },
    join: (turns) => median(turns.flat()),
  });
  return {
    figures: [
      {
        key: pace.key,
        title: pace.title,
        unit: "µs",
        digits: 1,
        shown: "added",
        overRounds: "median",
        values: valuesOf(results, (time) => time),
        noise: interquartileRange(direct),
      },
    ],
    remarks: [],
  };
}

function microsecondsPerToken(exchange: Exchange, name: string): number {
  if (exchange.events < LEAST_EVENTS) {
    throw new Error(`${name}: ${exchange.events} events came of a stream of ${TOKENS} tokens`);
  }
  return ((exchange.totalMs - exchange.firstBodyMs) * 1_000) / (TOKENS - 1);
}
