// When an Account's memory is written: soon after most changes, at once where an answer must wait for
// it, and once more at rest. Also the alarm, which outlives memory.
import type { CommitMark, KeyRecord } from "../../contract/account.ts";
import { BLOCK_IDLE_MS, COMMIT_AFTER_MS, COMMIT_AT_SETTLEMENTS } from "../../contract/limits.ts";
import type { AccountState } from "../../core/admission.ts";
import { commit, mustCommit } from "../../core/ledger.ts";
import { nextExpiry } from "../../core/ledger-state.ts";
import type { AccountEvents } from "./account-events.ts";
import type { AccountStorage } from "./account-storage.ts";
import { ROLL_UP_LATEST_MS, type RollUps } from "./roll-up.ts";

export class WriteBehind {
  readonly #context: DurableObjectState;
  readonly #storage: AccountStorage;
  readonly #rollUps: RollUps;
  readonly #events: AccountEvents;
  /** Keys used since the last commit, whose `last_used_at` goes with the next. */
  readonly #usedKeys = new Set<KeyRecord>();
  readonly #incarnation = crypto.randomUUID();
  #commits = 0;
  #awaitingCommit: (() => void)[] = [];
  #commitTimer: ReturnType<typeof setTimeout> | null = null;
  #idleTimer: ReturnType<typeof setTimeout> | null = null;
  #alarmAt = 0;
  #activeAt = 0;

  constructor(
    context: DurableObjectState,
    storage: AccountStorage,
    rollUps: RollUps,
    events: AccountEvents,
  ) {
    this.#context = context;
    this.#storage = storage;
    this.#rollUps = rollUps;
    this.#events = events;
  }

  noteCall(now: number): void {
    this.#activeAt = now;
  }

  noteUse(key: KeyRecord): void {
    this.#usedKeys.add(key);
  }

  /** Only what would break a law of the ledger waits for a write; all else is on record soon after. */
  asNeeded(state: AccountState): void {
    if (mustCommit(state.ledger)) this.now(state);
    else this.soon(state);
  }

  soon(state: AccountState): void {
    this.#commitTimer ??= setTimeout(() => {
      this.#commitTimer = null;
      this.now(state);
    }, COMMIT_AFTER_MS);
  }

  /** `atRest` gives the block back. The output gate holds every later answer until it is durable. */
  now(state: AccountState, atRest = false): void {
    if (this.#commitTimer !== null) clearTimeout(this.#commitTimer);
    this.#commitTimer = null;
    const now = Date.now();
    this.#storage.writeCommit(commit(state.ledger, now, atRest), state.rate, this.#usedKeys);
    this.#events.judge(state, now);
    this.#usedKeys.clear();
    this.#commits += 1;
    for (const resolve of this.#awaitingCommit) resolve();
    this.#awaitingCommit = [];
    this.#rollUps.note(state, now);
    this.arm(state);
    if (!atRest && state.ledger.block > 0) this.#returnBlockWhenIdle(state);
  }

  /** The commit that all that is settled so far is in, or will be. */
  mark(state: AccountState): CommitMark {
    const full = state.ledger.uncommitted.endings.length >= COMMIT_AT_SETTLEMENTS;
    if (full) this.now(state);
    else this.soon(state);
    return { incarnation: this.#incarnation, commit: full ? this.#commits : this.#commits + 1 };
  }

  /** Resolves once that commit is written; the answer then waits for the disk. */
  async written(mark: CommitMark): Promise<void> {
    if (mark.commit <= this.#commits) return;
    await new Promise<void>((resolve) => this.#awaitingCommit.push(resolve));
  }

  /** What the alarm was for has been done; the next commit sets another where one is due. */
  alarmCame(): void {
    this.#alarmAt = 0;
  }

  /** A Hold whose gateway and object both died still ends, and what was to be told is. */
  arm(state: AccountState): void {
    const now = Date.now();
    const isOwed = this.#rollUps.isOwed || this.#events.isOwed;
    const owed = isOwed ? now + ROLL_UP_LATEST_MS : null;
    const next = nextExpiry(state.ledger) ?? owed;
    if (next === null || this.#alarmAt > now) return;
    this.#alarmAt = Math.max(next, now + 1);
    this.#context.waitUntil(this.#context.storage.setAlarm(this.#alarmAt));
  }

  #returnBlockWhenIdle(state: AccountState): void {
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = null;
      const atRest = state.ledger.holds.size === 0 && Date.now() - this.#activeAt >= BLOCK_IDLE_MS;
      if (atRest) this.now(state, true);
      else this.#returnBlockWhenIdle(state);
    }, BLOCK_IDLE_MS);
  }
}
