// The queue's consumer: each message is a turn to work on one Job's slices. A message that comes twice,
// or too late, is none: its ticket says so.

import type { JobTurn } from "../../contract/dispatcher.ts";
import { TURN_MS } from "../../contract/job-limits.ts";
import type { ObjectBindings } from "../../durable-objects/objects.ts";
import { runTurn } from "./run-turn.ts";

/** Never rejects: what a turn did not do is there for the next, when its leases have ended. */
export async function workOff(batch: MessageBatch<JobTurn>, env: ObjectBindings): Promise<void> {
  // Of the batch, so that turns that were delivered together end together.
  const until = Date.now() + TURN_MS;
  await Promise.all(
    batch.messages.map(async ({ body }) => {
      try {
        await runTurn(env, body, until);
      } catch (failure) {
        const { jobId, ticket } = body;
        console.error({ event: "turn_broke", jobId, ticket, failure: String(failure) });
      }
    }),
  );
}
