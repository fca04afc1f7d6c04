// The way of a Job's settlements to the Account: each is said until it is durable there, that is noted
// on disk, and only then may the Account forget it. So a repeat always finds what it repeats.
import {
  nextClosing,
  noteForgotten,
  noteSettled,
  toForget,
  toSettle,
} from "../../core/job-closings.ts";
import type { JobBook } from "../../core/job-state.ts";
import { Errand } from "../errand.ts";
import { accountOf } from "../objects.ts";
import type { JobHere } from "./job-here.ts";

export function tellAccount(here: JobHere): Errand {
  return new Errand({
    what: "job_settlements",
    wantedAt: () => (here.book === null ? null : nextClosing(here.book)),
    run: async () => {
      if (here.book === null) return;
      await settle(here, here.book);
      await forget(here, here.book);
    },
  });
}

async function settle({ env, storage }: JobHere, book: JobBook): Promise<void> {
  const settlements = toSettle(book);
  if (settlements.length === 0) return;
  await accountOf(env, book.origin.personId).settleSlices(settlements);
  noteSettled(book, settlements, Date.now());
  storage.writeChanges(book);
  await storage.durable();
}

async function forget({ env, storage }: JobHere, book: JobBook): Promise<void> {
  const { closings, holdIds } = toForget(book, Date.now());
  if (closings.length === 0) return;
  await accountOf(env, book.origin.personId).forgetSlices(holdIds);
  noteForgotten(book, closings);
  storage.writeChanges(book);
}
