// What an Account tells the Directory of itself, so that pages about many people need not ask each. Behind
// what changes it and never in its way: a commit only notes that there is something to tell.
import type { RollUp } from "../../contract/directory.ts";
import { HOLD_LEASE_MS, ROLL_UP_AFTER_MS } from "../../contract/limits.ts";
import type { AccountState } from "../../core/admission.ts";
import { figures, spentInMonth } from "../../core/ledger-state.ts";
import { Errand } from "../errand.ts";
import { directoryOf, type ObjectBindings } from "../objects.ts";

/** Memory may be lost before it is told: the alarm comes so late, mostly that of a Hold. */
export const ROLL_UP_LATEST_MS = HOLD_LEASE_MS;

export class RollUps {
  readonly #context: DurableObjectState;
  readonly #env: ObjectBindings;
  readonly #telling: Errand;
  #state: AccountState | null = null;
  /** Empty where memory is new: whoever starts again says how it stands. */
  #told = "";
  /** Since when there is something to tell; null when there is nothing. */
  #since: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    this.#context = context;
    this.#env = env;
    this.#telling = new Errand({
      what: "roll_up",
      wantedAt: () => (this.#since === null ? null : this.#since + ROLL_UP_AFTER_MS),
      run: () => this.#tell(),
    });
  }

  /** Whether the alarm has to see to it, should memory be lost. */
  get isOwed(): boolean {
    return this.#since !== null && this.#telling.current === null;
  }

  note(state: AccountState, now: number): void {
    this.#state = state;
    if (this.#since !== null || standing(state, now) === this.#told) return;
    this.#since = now;
    this.#watch(now);
  }

  /** For the alarm, which waits for nothing else. Never rejects. */
  async tellNow(state: AccountState, now: number): Promise<void> {
    this.note(state, now);
    if (this.#since === null) return;
    this.#since = Math.min(this.#since, now - ROLL_UP_AFTER_MS);
    this.#begin(now);
    await this.#telling.current;
  }

  #watch(now: number): void {
    const at = this.#telling.dueAt(now);
    if (at === null || this.#timer !== null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#begin(Date.now());
      },
      Math.max(1, at - now),
    );
  }

  #begin(now: number): void {
    const begun = this.#telling.begin(now);
    if (begun === null) this.#watch(now);
    else this.#context.waitUntil(begun.then(() => this.#goOn(Date.now())));
  }

  /** What has changed while it was told, or was not heard. */
  #goOn(now: number): void {
    if (this.#since !== null) this.#watch(now);
    else if (this.#state !== null) this.note(this.#state, now);
  }

  async #tell(): Promise<void> {
    if (this.#state === null) return;
    const now = Date.now();
    const told = standing(this.#state, now);
    await directoryOf(this.#env).rollUp(rollUpOf(this.#state, now));
    this.#told = told;
    this.#since = null;
  }
}

/** A use that cost nothing is told with the next that did. */
function standing({ ledger }: AccountState, now: number): string {
  const { granted, spent, available } = figures(ledger);
  return `${monthOf(now)} ${granted} ${spent} ${available}`;
}

function rollUpOf({ profile, keys, ledger }: AccountState, now: number): RollUp {
  const { granted, available } = figures(ledger);
  let lastUsedAt: number | null = null;
  for (const key of keys.values()) {
    if (key.lastUsedAt !== null) lastUsedAt = Math.max(key.lastUsedAt, lastUsedAt ?? 0);
  }
  const spentThisMonth = spentInMonth(ledger, now);
  return {
    ...{ personId: profile.personId, at: now, month: monthOf(now) },
    ...{ spentThisMonth, granted, available, lastUsedAt },
  };
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}
