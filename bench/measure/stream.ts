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
  connections: number;
  warmUps: number;
  exchanges: number;
}

/** As fast as the engine writes: what a token costs where nothing hides the cost. */
export const unpaced: StreamPace = {
  key: "stream",
  title: "added a token, unpaced",
  connections: 1,
  warmUps: 2,
  exchanges: 12,
};

/** As real models write: the engine waits before each token, and the way has time for each. */
export const pacedTokenDelayMs = 2;
export const paced: StreamPace = {
  key: "paced",
  title: `added a token, one per ${pacedTokenDelayMs} ms`,
  connections: 8,
  warmUps: 0,
  exchanges: 1,
};

/** What each target adds to a token of a stream of 1,000, from the first one to the end. */
export async function measureStream(bench: Bench, pace: StreamPace): Promise<Measured> {
  const direct: number[] = [];
  const results = await interleave(bench, pace.key, async (target) => {
    const { exchanges } = await send(
      bench,
      target,
      { prompt: "Once", max_tokens: TOKENS, ignore_eos: true, seed: 1, stream: true },
      {
        connections: pace.connections,
        warmUps: pace.warmUps,
        until: { exchanges: pace.exchanges },
      },
    );
    const times = exchanges.map((exchange) => microsecondsPerToken(exchange, target.name));
    if (target.name === "direct") direct.push(...times);
    return median(times);
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
