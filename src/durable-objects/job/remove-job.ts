// What is left of a Job is removed: its input and results in the store, its place in the list, its rows.
import { jobFolder } from "../../contract/job-store.ts";
import { removedAt } from "../../core/job-record.ts";
import { Errand } from "../errand.ts";
import { jobListOf, type ObjectBindings } from "../objects.ts";
import type { JobHere } from "./job-here.ts";

/** `others` are the errands whose calls must have come back: none of them may undo the removal. */
export function removeJob(here: JobHere, others: readonly Errand[]): Errand {
  let isDropped = false;
  return new Errand({
    what: "job_removal",
    wantedAt: (now) => {
      const { book, told } = here;
      if (book === null) return null;
      if (!told.removing) return removedAt(book);
      // What comes back looks after this one again.
      if (others.some(({ current }) => current !== null)) return null;
      // The Account must hear the last of its settlements first, and whoever is told of its end.
      const isOwed = book.closings.size > 0 || told.entered || !here.storage.outbox.isEmpty;
      return isDropped && isOwed ? null : now;
    },
    run: async () => {
      const { book, told, env, storage } = here;
      if (book === null) return;
      if (!told.removing) {
        told.removing = true;
        storage.writeTold(told);
        return;
      }
      const { personId, id } = book.origin;
      if (!isDropped) {
        if (await removePage(env, jobFolder(personId, id))) return;
        await jobListOf(env, personId).drop(id);
        isDropped = true;
        return;
      }
      await storage.forget();
      isDropped = false;
      here.book = null;
      here.told = storage.readTold();
    },
  });
}

/** One page of a folder, which the store deletes in one call. True when there was any. */
async function removePage({ JOB_STORE }: ObjectBindings, prefix: string): Promise<boolean> {
  const { objects } = await JOB_STORE.list({ prefix });
  if (objects.length === 0) return false;
  await JOB_STORE.delete(objects.map(({ key }) => key));
  return true;
}
