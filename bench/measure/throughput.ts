import { PEOPLE } from "../peers/target.ts";
import type { Measured } from "./figure.ts";
import { smallCompletion } from "./latency.ts";
import { meterTree } from "./process-tree.ts";
import { type Bench, interleave, send, valuesOf } from "./rounds.ts";

const MILLISECONDS = 2_000;
const WARM_UPS = 20;

/** How many small completions a second 16 clients get, each of them another person. */
export async function measureThroughput(bench: Bench): Promise<Measured> {
  const results = await interleave(bench, "throughput", async (target) => {
    const meter = meterTree(target.pid);
    const { exchanges, elapsedMs } = await send(bench, target, smallCompletion, {
      connections: PEOPLE,
      warmUps: WARM_UPS,
      until: { milliseconds: MILLISECONDS },
    });
    const served = exchanges.length + PEOPLE * WARM_UPS;
    const cpuMs = meter?.read().cpuMs ?? null;
    return {
      perSecond: (exchanges.length * 1_000) / elapsedMs,
      cpuMicroseconds: cpuMs === null ? null : (cpuMs * 1_000) / served,
    };
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
