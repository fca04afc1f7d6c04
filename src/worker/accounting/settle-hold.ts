// Settling: repeated until the Account says that it is durable. A request that waits for that keeps its
// whole context alive for the quarter of a second that settlements gather, which costs more than the
// settlement. So of those that run into one commit only the first waits; it is the keeper of the others,
// and settles again whatever its commit turns out not to cover. The others ride with the Account's next
// admission, if one comes at once. No promise crosses from one request to another, only these records do.
import type { CommitMark, SettleRequest } from "../../contract/account.ts";
import type { AccountLink } from "../../durable-objects/objects.ts";

interface Kept {
  request: SettleRequest;
  /** A call that carries it is under way, or has been answered. */
  sent: boolean;
  /** What the Account said, or null while it has not. */
  mark: CommitMark | null;
}

interface Group {
  kept: Kept[];
  /** Those of `kept` that wait for an admission to ride with. */
  waiting: Kept[];
  openUntil: number;
}

/** By Account. A group is closed by its keeper. */
const groups = new Map<string, Group>();

/** Admissions under way, by Account: they may stand in line for what a settlement frees. */
const admitting = new Map<string, number>();

/** A keeper that the runtime dropped keeps nothing: far above what a commit takes to come. */
const GROUP_OPEN_MS = 2_000;

/**
 * A client that works through a list sends its next request sooner, also through a busy isolate. For
 * longer than that no tokens and no place of a request that has ended are kept from anybody.
 */
const RIDE_WAIT_MS = 20;

/** More than a person may run at once by default; what is over goes by its own call. */
const RIDERS_MOST = 32;

/** Between the attempts of a settlement: all of it below the 30 s that `waitUntil` lasts. */
const SETTLE_PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800];

/** Settlements that ride with an admission. */
export interface Riders {
  requests: readonly SettleRequest[];
  /** To be told what the admission answered. Without it their keeper settles them again. */
  arrived(mark: CommitMark): void;
}

/** Runs an admission of this Account, which takes along what waits for one. */
export async function withRiders<T>(
  accountId: string,
  admit: (riders: Riders | null) => Promise<T>,
): Promise<T> {
  admitting.set(accountId, (admitting.get(accountId) ?? 0) + 1);
  try {
    return await admit(takeRiders(accountId));
  } finally {
    const left = (admitting.get(accountId) ?? 1) - 1;
    if (left === 0) admitting.delete(accountId);
    else admitting.set(accountId, left);
  }
}

/** Sends what waits for a ride, so that whoever reads their figures next finds it there. */
export async function settleWaiting(account: AccountLink, accountId: string): Promise<void> {
  const group = groups.get(accountId);
  const taken = group?.waiting.splice(0) ?? [];
  await Promise.all(
    taken.map(async (kept) => {
      kept.sent = true;
      kept.mark = await settle(account, kept.request, false);
    }),
  );
}

/** What waits for this Account's next call, at most once. */
function takeRiders(accountId: string): Riders | null {
  const group = groups.get(accountId);
  if (group === undefined || group.waiting.length === 0) return null;
  const taken = group.waiting.splice(0, RIDERS_MOST);
  for (const kept of taken) kept.sent = true;
  return {
    requests: taken.map(({ request }) => request),
    arrived: (mark) => {
      for (const kept of taken) kept.mark = mark;
    },
  };
}

/** Resolves when the settlement is durable, or when another request has taken it on. */
export async function settleHold(
  account: AccountLink,
  accountId: string,
  request: SettleRequest,
): Promise<void> {
  const group = groups.get(accountId);
  if (group === undefined || group.openUntil <= Date.now()) {
    await keepGroup(account, accountId, request);
    return;
  }
  const kept: Kept = { request, sent: false, mark: null };
  group.kept.push(kept);
  if (!admitting.has(accountId)) {
    group.waiting.push(kept);
    await new Promise((resolve) => setTimeout(resolve, RIDE_WAIT_MS));
    if (kept.sent) return;
    group.waiting.splice(group.waiting.indexOf(kept), 1);
  }
  kept.sent = true;
  kept.mark = await settle(account, request, false);
}

async function keepGroup(
  account: AccountLink,
  accountId: string,
  own: SettleRequest,
): Promise<void> {
  const group: Group = { kept: [], waiting: [], openUntil: Date.now() + GROUP_OPEN_MS };
  groups.set(accountId, group);
  const durable = await settle(account, own, true);
  if (groups.get(accountId) === group) groups.delete(accountId);
  const left = group.kept.filter(({ mark }) => !covers(durable, mark));
  for (const kept of left) kept.sent = true;
  await Promise.all(left.map(({ request }) => settle(account, request, true)));
}

/** Whether what is in `mark` is durable once `durable` is; a restarted object has forgotten it. */
function covers(durable: CommitMark | null, mark: CommitMark | null): boolean {
  if (durable === null || mark === null) return false;
  return mark.incarnation === durable.incarnation && mark.commit <= durable.commit;
}

/** Repeats the call until it is answered. Null when it never was. */
async function settle(
  account: AccountLink,
  request: SettleRequest,
  wait: boolean,
): Promise<CommitMark | null> {
  let failed = false;
  for (const pauseMs of [...SETTLE_PAUSES_MS, null]) {
    try {
      return await account(failed).settle(request, { wait });
    } catch (failure) {
      failed = true;
      if (pauseMs !== null) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        continue;
      }
      // The Hold's lease ends it with the last progress that was reported.
      const { requestId } = request;
      console.error({ event: "settle_failed", requestId, failure: String(failure) });
    }
  }
  return null;
}
