// What of an Account its person is told by webhook: a key that was revoked, a Grant, and once for each
// Grant that little is left. Behind what changes it and never in its way: whether tokens are low is judged
// where a commit is written anyway.
import type { GrantRecord, KeyRecord } from "../../contract/account.ts";
import type { OutgoingEvent } from "../../contract/outgoing-webhooks.ts";
import type { AccountState } from "../../core/admission.ts";
import { figures } from "../../core/ledger-state.ts";
import { keyRevokedEvent, tokensGrantedEvent, tokensLowEvent } from "../../core/outgoing-events.ts";
import { judgeLow, type LowMark, lowBelow, markGrant } from "../../core/tokens-low.ts";
import type { Errand } from "../errand.ts";
import type { ObjectBindings } from "../objects.ts";
import { Outbox } from "../outbox.ts";
import { writeOrEnd } from "../write-or-end.ts";

export class AccountEvents {
  readonly #context: DurableObjectState;
  readonly #outbox: Outbox;
  readonly #emitting: Errand;
  #mark: LowMark | null;
  #personId: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** The Account's schema is up to date by now. */
  constructor(context: DurableObjectState, env: ObjectBindings) {
    this.#context = context;
    this.#mark = readMark(context.storage.sql);
    this.#outbox = new Outbox(context.storage.sql);
    this.#emitting = this.#outbox.emitting(env, () => this.#personId);
  }

  /** Whether the alarm has to see to it, should memory be lost: also of a call that is out. */
  get isOwed(): boolean {
    return !this.#outbox.isEmpty;
  }

  /** What was left when memory was lost goes out now. */
  begin({ profile }: AccountState): void {
    this.#personId = profile.personId;
    this.#tend(Date.now());
  }

  /** With the write that revoked it, and no await between; so for those below. */
  keyRevoked(key: KeyRecord): void {
    if (key.revokedAt !== null) this.#leave(keyRevokedEvent(key, key.revokedAt));
  }

  granted({ ledger }: AccountState, grant: GrantRecord): void {
    const tokens = figures(ledger);
    this.#keepMark(markGrant(tokens));
    this.#leave(tokensGrantedEvent(grant, tokens));
  }

  judge({ ledger, profile }: AccountState, now: number): void {
    const tokens = figures(ledger);
    const { mark, fell } = judgeLow(this.#mark, tokens);
    if (mark !== this.#mark) this.#keepMark(mark);
    if (fell) this.#leave(tokensLowEvent(profile.personId, tokens, lowBelow(mark), now));
  }

  /** For the alarm, which waits for nothing else. Never rejects. */
  async tellNow(now: number): Promise<void> {
    this.#tend(now);
    await this.#emitting.current;
  }

  #leave(event: OutgoingEvent): void {
    writeOrEnd(this.#context, () => this.#outbox.leave(event));
    this.#tend(Date.now());
  }

  #keepMark(mark: LowMark): void {
    this.#mark = mark;
    const values = [mark.base, mark.isLow ? 1 : 0];
    const write = "INSERT OR REPLACE INTO low_mark (one, base, is_low) VALUES (1, ?, ?)";
    writeOrEnd(this.#context, () => void this.#context.storage.sql.exec(write, ...values));
  }

  /** Begins it where it is due, and looks again when it is over or due next. */
  #tend(now: number): void {
    const begun = this.#emitting.begin(now);
    if (begun !== null) this.#context.waitUntil(begun.then(() => this.#tend(Date.now())));
    const at = this.#emitting.dueAt(now);
    if (at === null || this.#emitting.current !== null || this.#timer !== null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#tend(Date.now());
      },
      Math.max(1, at - now),
    );
  }
}

function readMark(sql: SqlStorage): LowMark | null {
  const rows = sql.exec<{ base: number; is_low: number }>("SELECT base, is_low FROM low_mark");
  const row = rows.toArray()[0];
  return row === undefined ? null : { base: row.base, isLow: row.is_low === 1 };
}
