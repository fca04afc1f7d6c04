// The queue's consumer: each message is a turn to work on one Job's slices.
import type { JobTurn } from "../../contract/jobs.ts";
import type { ObjectBindings } from "../../durable-objects/objects.ts";

export async function workOff(
  _batch: MessageBatch<JobTurn>,
  _env: ObjectBindings,
  _context: ExecutionContext,
): Promise<void> {}
