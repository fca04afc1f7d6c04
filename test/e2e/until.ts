import { setTimeout as pause } from "node:timers/promises";

/** Between two looks: short beside anything that is waited for, long beside what a look costs. */
const LOOK_EVERY_MS = 20;
/** What never comes is found by this; on a busy machine all else comes in time. */
const PATIENCE_MS = 30_000;

/** Looks until the condition holds and returns what it saw then. Fails with what it last saw. */
export async function until<Seen>(
  what: string,
  look: () => Promise<Seen> | Seen,
  holds: (seen: Seen) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<Seen> {
  for (const giveUpAt = Date.now() + patienceMs; ; ) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > giveUpAt) throw new Error(`${what} never came; seen: ${JSON.stringify(seen)}`);
    await pause(LOOK_EVERY_MS);
  }
}
