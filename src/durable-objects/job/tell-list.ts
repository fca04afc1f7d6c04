// The person's list hears how the Job stands: of another state at once, of more progress at most once
// a second.
import type { JobRecord } from "../../contract/jobs.ts";
import { recordOf } from "../../core/job-record.ts";
import { Errand } from "../errand.ts";
import { jobListOf } from "../objects.ts";
import type { JobHere } from "./job-here.ts";

const LIST_EVERY_MS = 1_000;

export function tellList(here: JobHere): Errand {
  let [listedAt, listedStanding] = [0, ""];
  return new Errand({
    what: "job_list",
    wantedAt: (now) => {
      const { book, told } = here;
      if (book === null || told.removing || book.progress.version <= told.listedVersion)
        return null;
      const changed = standing(recordOf(book, now)) !== listedStanding;
      return changed ? now : listedAt + LIST_EVERY_MS;
    },
    run: async () => {
      const { book, env, storage } = here;
      if (book === null) return;
      const record = recordOf(book, Date.now());
      await jobListOf(env, record.personId).put(record);
      [listedAt, listedStanding] = [Date.now(), standing(record)];
      here.told.listedVersion = record.version;
      storage.writeTold(here.told);
    },
  });
}

function standing({ state, pause, cancelledAt }: JobRecord): string {
  return `${state} ${pause?.reason} ${cancelledAt}`;
}
