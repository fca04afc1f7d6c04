// Failed items, grouped by how they failed. No I/O, no clock.
import { JOB_ERROR_GROUPS_MOST } from "../contract/job-limits.ts";
import type { JobErrorGroup } from "../contract/jobs.ts";

/** What stands for all that is one kind too many. */
const REST = { code: "other", message: "Other errors; the results have each of them." };

/** Adds groups to groups. Once there are so many kinds, what is new goes into one group for the rest. */
export function addErrors(
  groups: readonly JobErrorGroup[],
  more: readonly JobErrorGroup[],
): JobErrorGroup[] {
  const sum = groups.map((group) => ({ ...group }));
  for (const group of more) {
    const same = find(sum, group);
    if (same !== undefined) same.count += group.count;
    else if (sum.filter((one) => !isRest(one)).length < JOB_ERROR_GROUPS_MOST - 1) {
      sum.push({ ...group });
    } else {
      const rest = find(sum, REST);
      if (rest === undefined) sum.push({ ...group, ...REST });
      else rest.count += group.count;
    }
  }
  return sum;
}

export function mostFrequentFirst(groups: readonly JobErrorGroup[]): JobErrorGroup[] {
  return [...groups].sort((one, other) => other.count - one.count);
}

function find(groups: JobErrorGroup[], like: Pick<JobErrorGroup, "code" | "message">) {
  return groups.find(({ code, message }) => code === like.code && message === like.message);
}

function isRest(group: JobErrorGroup): boolean {
  return find([group], REST) !== undefined;
}
