// The Model's Dispatcher hears whether the Job has something to do.
import { claimable } from "../../core/job-state.ts";
import { Errand } from "../errand.ts";
import { dispatcherOf } from "../objects.ts";
import type { JobHere } from "./job-here.ts";

export function tellDispatcher(here: JobHere): Errand {
  // Whoever starts again says it again: the Dispatcher may have started too, and have had no alarm.
  let isSaid = false;
  const hasWork = (now: number) =>
    here.book !== null && !here.told.removing && claimable(here.book, now) !== null;
  return new Errand({
    what: "job_turns",
    wantedAt: (now) => {
      if (here.book === null) return null;
      const isKnown = hasWork(now) ? isSaid && here.told.entered : !here.told.entered;
      return isKnown ? null : now;
    },
    run: async () => {
      const { book, told, env, storage } = here;
      if (book === null) return;
      const { id: jobId, personId, model } = book.origin;
      if (hasWork(Date.now())) {
        // On disk before it is said: else nobody might take it back, and it kept a Model awake.
        told.entered = true;
        storage.writeTold(told);
        await dispatcherOf(env, model).enter({ jobId, personId });
        isSaid = true;
        return;
      }
      // It may hear this though its answer is lost: a Job that has work by then has to say so again.
      isSaid = false;
      await dispatcherOf(env, model).leave(jobId);
      told.entered = false;
      storage.writeTold(told);
    },
  });
}
