import { PEOPLE, type Target } from "../peers/target.ts";
import type { Measured } from "./figure.ts";
import { smallCompletion } from "./latency.ts";
import { meterTree } from "./process-tree.ts";
import { type Bench, interleave, send, valuesOf } from "./rounds.ts";

const TURNS = 3;
const MILLISECONDS = 700;
const WARM_UPS = 10;

interface Turn {
  counted: number;
  elapsedMs: number;
  /** Of the server's process tree, warm-ups included; null where nothing is metered. */
  cpuMs: number | null;
}

async function serveSixteen(bench: Bench, target: Target): Promise<Turn> {
  const meter = meterTree(target.pid);
  const { exchanges, elapsedMs } = await send(bench, target, smallCompletion, {
    connections: PEOPLE,
    warmUps: WARM_UPS,
    until: { milliseconds: MILLISECONDS },
  });
  return { counted: exchanges.length, elapsedMs, cpuMs: meter?.read().cpuMs ?? null };
}

/** How many small completions a second 16 clients get, each of them another person. */
export async function measureThroughput(bench: Bench): Promise<Measured> {
  const results = await interleave(bench, {
    title: "throughput",
    turns: TURNS,
    take: (target) => serveSixteen(bench, target),
    join: (turns) => {
      const sum = (of: (turn: Turn) => number): number =>
        turns.reduce((total, turn) => total + of(turn), 0);
      const metered = turns.every(({ cpuMs }) => cpuMs !== null);
      const served = sum(({ counted }) => counted + PEOPLE * WARM_UPS);
      return {
        perSecond: (sum(({ counted }) => counted) * 1_000) / sum(({ elapsedMs }) => elapsedMs),
        cpuMicroseconds: metered ? (sum(({ cpuMs }) => cpuMs ?? 0) * 1_000) / served : null,
      };
    },
  });
  return {
    figures: [
      {
        key: "throughput",
        title: "requests/s, 16 clients",
        unit: "/s",
        digits: 0,
        shown: "own",
        overRounds: "median",
        values: valuesOf(results, ({ perSecond }) => perSecond),
      },
      {
        key: "throughput_cpu",
        title: "server's CPU a request",
        unit: "µs",
        digits: 0,
        shown: "apart",
        overRounds: "median",
        values: valuesOf(results, ({ cpuMicroseconds }) => cpuMicroseconds),
      },
    ],
    remarks: [],
  };
}
