import { PEOPLE } from "../peers/target.ts";
import { smallCompletion } from "./latency.ts";
import { type Bench, send } from "./rounds.ts";

/** Enough for the JavaScript engines to settle: before, they run at half their later speed. */
const EXCHANGES_EACH = 150;

/** Serves every target some thousand completions, so that the first round is like the last. */
export async function warmUp(bench: Bench): Promise<void> {
  for (const target of bench.targets) {
    bench.say(`warming up ${target.name}`);
    await send(bench, target, smallCompletion, {
      connections: PEOPLE,
      warmUps: 0,
      until: { exchanges: EXCHANGES_EACH },
    });
  }
}
