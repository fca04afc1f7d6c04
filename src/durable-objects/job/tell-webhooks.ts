// Who wants to be told hears of a Job's pauses and of its end: each goes to the outbox with the write that
// makes it so, and from there to the person's Webhooks object.

import { recordOf } from "../../core/job-record.ts";
import type { JobBook } from "../../core/job-state.ts";
import { jobEvent } from "../../core/outgoing-events.ts";
import type { Errand } from "../errand.ts";
import type { JobHere } from "./job-here.ts";

/** To be called after each write, with no await between. */
export function announce({ told, storage }: JobHere, book: JobBook, now: number): void {
  const event = jobEvent(recordOf(book, now));
  if (event === null || event.id === told.announced) return;
  told.announced = event.id;
  storage.writeTold(told);
  storage.outbox.leave(event);
}

export function tellWebhooks(here: JobHere): Errand {
  const { storage, env } = here;
  return storage.outbox.emitting(env, () => here.book?.origin.personId ?? null);
}
