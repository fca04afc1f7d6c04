// What an object reads back after the commits that reached the disk.
import { ENDED_KEPT_MS } from "../../src/contract/limits.ts";
import {
  type Commit,
  type Durable,
  type Ending,
  emptyDurable,
  isKept,
  keyMonth,
} from "../../src/core/ledger-state.ts";
import { START } from "./ledger-commands.ts";

export function readBack(commits: readonly Commit[], now: number): Durable {
  const last = commits.at(-1);
  if (last === undefined) return emptyDurable(START);
  const months = new Map<string, number>();
  for (const { keyId, at, promptTokens, completionTokens } of commits.flatMap((c) => c.usage)) {
    const month = keyMonth(keyId, at);
    months.set(month, (months.get(month) ?? 0) + promptTokens + completionTokens);
  }
  const kept = commits.filter((one) => one.at > now - ENDED_KEPT_MS);
  const { at, block, grants, holds, unreported, overrunTokens } = last;
  const slices = new Map<string, Ending>();
  for (const one of commits) {
    for (const ending of one.endings) if (isKept(ending)) slices.set(ending.requestId, ending);
    for (const id of one.forgotten) slices.delete(id);
  }
  const recent = kept.flatMap((one) => one.endings).filter((ending) => !isKept(ending));
  const endings = [...slices.values(), ...recent];
  return { at, block, grants, holds, endings, unreported, overrunTokens, keyMonths: [...months] };
}
