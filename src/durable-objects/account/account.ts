// One person's tokens, keys and limits. The shell around core/admission and core/ledger: it loads,
// asks the core, writes, answers. Nothing awaits between a decision and its write.
import { DurableObject } from "cloudflare:workers";
import type {
  AccountProfile,
  AccountRpc,
  AccountSnapshot,
  Admission,
  AdmitRequest,
  GrantRecord,
  GrantRequest,
  Identification,
  KeyChange,
  KeyRecord,
  MintRequest,
  ProfileChange,
  Refusal,
  RenewAnswer,
  RenewRequest,
  Repeatable,
  SettleRequest,
  UsageRow,
} from "../../contract/account.ts";
import type { Configuration } from "../../contract/configuration.ts";
import { parseConfiguration } from "../../contract/configuration.ts";
import {
  BLOCK_IDLE_MS,
  COMMIT_AFTER_MS,
  COMMIT_AT_SETTLEMENTS,
  DEFAULT_ACCOUNT_LIMITS,
  LINE_RETRY_AFTER_MS,
  LINE_WAIT_MS,
} from "../../contract/limits.ts";
import {
  type AccountState,
  type AdmitDecision,
  accountFigures,
  checkKey,
  decideAdmission,
  type LinePlace,
  refusalOf,
} from "../../core/admission.ts";
import {
  addGrant,
  commit,
  expire,
  figures,
  mustCommit,
  nextExpiry,
  openLedger,
  renewHold,
  settle,
} from "../../core/ledger.ts";
import { judgeStart } from "../../core/rate-limit.ts";
import { AccountStorage } from "./account-storage.ts";
import { WaitingLine } from "./waiting-line.ts";

export class Account extends DurableObject<unknown> implements AccountRpc {
  readonly #storage: AccountStorage;
  readonly #configuration: Configuration;
  readonly #line = new WaitingLine();
  /** Null until an Admin adds the person: a made-up Account has no state and no rows. */
  #state: AccountState | null = null;
  /** Keys used since the last commit, whose `last_used_at` goes with the next. */
  readonly #usedKeys = new Set<KeyRecord>();
  #awaitingCommit: (() => void)[] = [];
  #commitTimer: number | null = null;
  #idleTimer: number | null = null;
  #lineTimer: number | null = null;
  #alarmAt = 0;
  #activeAt = 0;

  constructor(context: DurableObjectState, env: unknown) {
    super(context, env);
    this.#configuration = parseConfiguration(env);
    this.#storage = new AccountStorage(context.storage);
    const profile = this.#storage.readProfile();
    if (profile !== null) this.#load(profile);
  }

  async open(profile: AccountProfile): Promise<AccountSnapshot> {
    if (this.#state === null) {
      this.#storage.writeProfile(profile);
      this.#load(profile);
    }
    return this.#snapshotOf(this.#current());
  }

  async change(change: ProfileChange): Promise<Repeatable<AccountSnapshot>> {
    const state = this.#state;
    if (state === null) return { ok: false, reason: "unknown" };
    const { role, disabled, limits } = change;
    if (role !== undefined) state.profile.role = role;
    if (disabled !== undefined) state.profile.disabled = disabled;
    if (limits !== undefined) {
      state.profile.limits = { ...state.profile.limits, ...limits };
      state.limits = { ...DEFAULT_ACCOUNT_LIMITS, ...state.profile.limits };
    }
    this.#storage.writeProfile(state.profile);
    this.#advanceLine(state);
    return { ok: true, value: this.#snapshotOf(state) };
  }

  async snapshot(): Promise<AccountSnapshot | null> {
    return this.#state === null ? null : this.#snapshotOf(this.#current());
  }

  async identify(keyHash: string, options: { countsAsStart: boolean }): Promise<Identification> {
    if (this.#state === null) return unknownKey();
    const state = this.#current();
    const now = Date.now();
    const key = checkKey(state, keyHash, now);
    if ("reason" in key) return { outcome: "refused", refusal: key, figures: null };
    if (options.countsAsStart) {
      const start = judgeStart(state.rate, state.limits.startsPerMinute, now);
      if (!start.allowed) {
        const refusal: Refusal = { reason: "rate", retryAfterMs: start.retryAfterMs };
        return { outcome: "refused", refusal, figures: accountFigures(state, now) };
      }
      state.rate = start.next;
    }
    const { profile, limits } = state;
    const identity = { profile, limits, key, figures: accountFigures(state, now) };
    return { outcome: "identified", identity };
  }

  async admit(request: AdmitRequest): Promise<Admission> {
    if (this.#state === null) return unknownKey();
    const state = this.#current();
    const before = this.#line.takeWhere((one) => one.request.requestId === request.requestId);
    for (const waiter of before) waiter.answer(refusal({ reason: "ended" }, state));
    const place = { waiting: this.#line.length, turn: false };
    const decision = this.#decide(state, request, place);
    if (decision.decision !== "wait") return admission(decision, state);
    return await new Promise<Admission>((answer) => {
      this.#line.enter({ request, answer, until: Date.now() + LINE_WAIT_MS });
      this.#watchLine();
    });
  }

  async renew(request: RenewRequest): Promise<RenewAnswer> {
    if (this.#state === null) return { goOn: false, refusal: { reason: "key_unknown" } };
    const state = this.#current();
    const now = Date.now();
    renewHold(state.ledger, request, request.progress, now + this.#configuration.HOLD_LEASE_MS);
    this.#commitSoon();
    for (const key of state.keys.values()) {
      if (key.id !== request.keyId) continue;
      const refusal = refusalOf(state, key, now);
      // An expired key starts nothing, but what it started before may end.
      if (refusal !== null && refusal.reason !== "key_expired") return { goOn: false, refusal };
    }
    return { goOn: true };
  }

  async settle(request: SettleRequest): Promise<void> {
    if (this.#state === null) return;
    const state = this.#current();
    const defect = settle(state.ledger, request, request.usage, Date.now());
    if (defect !== null) {
      const { requestId, held, usage } = request;
      console.error({ event: "settle_defect", defect, requestId, held, usage });
    }
    this.#advanceLine(state);
    await this.#committed(state);
  }

  async leave(requestId: string): Promise<void> {
    const state = this.#state;
    if (state === null) return;
    const left = this.#line.takeWhere((one) => one.request.requestId === requestId);
    for (const waiter of left) waiter.answer(refusal({ reason: "ended" }, state));
  }

  async mint(request: MintRequest): Promise<Repeatable<KeyRecord>> {
    const state = this.#state;
    if (state === null) return { ok: false, reason: "unknown" };
    const { keyId: id, keyHash, start, name, scope, expiresAt, monthlyTokenLimit } = request;
    const before = this.#keyById(state, id);
    if (before !== undefined) {
      return state.keys.get(keyHash) === before
        ? { ok: true, value: before }
        : { ok: false, reason: "conflict" };
    }
    const key: KeyRecord = {
      ...{ id, name, start, scope, expiresAt, monthlyTokenLimit },
      ...{ createdAt: Date.now(), lastUsedAt: null, revokedAt: null, revokedWhy: null },
    };
    this.#storage.writeKey(keyHash, key);
    state.keys.set(keyHash, key);
    return { ok: true, value: key };
  }

  async changeKey(keyId: string, change: KeyChange): Promise<Repeatable<KeyRecord>> {
    return this.#updateKey(keyId, (key) => {
      if (change.name !== undefined) key.name = change.name;
      if (change.expiresAt !== undefined) key.expiresAt = change.expiresAt;
      if (change.monthlyTokenLimit !== undefined) key.monthlyTokenLimit = change.monthlyTokenLimit;
    });
  }

  async revoke(keyId: string, why: string): Promise<Repeatable<KeyRecord>> {
    return this.#updateKey(keyId, (key) => {
      if (key.revokedAt !== null) return;
      key.revokedAt = Date.now();
      key.revokedWhy = why;
    });
  }

  async keys(): Promise<KeyRecord[]> {
    return [...(this.#state?.keys.values() ?? [])];
  }

  async grant(request: GrantRequest): Promise<Repeatable<GrantRecord>> {
    if (this.#state === null) return { ok: false, reason: "unknown" };
    const state = this.#current();
    const { id, tokens, note, expiresAt } = request;
    const before = state.ledger.grants.find((grant) => grant.id === id);
    if (before !== undefined) {
      const same =
        before.tokens === tokens && before.note === note && before.expiresAt === expiresAt;
      return same ? { ok: true, value: before } : { ok: false, reason: "conflict" };
    }
    const grant = { id, tokens, note, expiresAt, at: Date.now(), used: 0, lapsed: 0 };
    addGrant(state.ledger, grant);
    this.#commit(state, false);
    this.#advanceLine(state);
    return { ok: true, value: grant };
  }

  async grants(): Promise<GrantRecord[]> {
    return [...(this.#state?.ledger.grants ?? [])].sort((a, b) => a.at - b.at);
  }

  async usage(range: { from: string; to: string }): Promise<UsageRow[]> {
    if (this.#state === null) return [];
    // What is settled but not yet written belongs to the answer.
    if (this.#state.ledger.uncommitted.usage.length > 0) this.#commit(this.#state, false);
    return this.#storage.readUsage(range.from, range.to);
  }

  /** Ends what nobody renewed, also when no call comes. */
  override async alarm(): Promise<void> {
    this.#alarmAt = 0;
    if (this.#state === null) return;
    const state = this.#current();
    this.#commit(state, state.ledger.holds.size === 0);
  }

  #load(profile: AccountProfile): void {
    const now = Date.now();
    const { durable, rate } = this.#storage.readLedger(now);
    this.#state = {
      profile,
      limits: { ...DEFAULT_ACCOUNT_LIMITS, ...profile.limits },
      keys: new Map(this.#storage.readKeys().map(({ hash, key }) => [hash, key])),
      ledger: openLedger(durable, this.#configuration.HOLD_LEASE_MS),
      rate,
    };
  }

  /** The state as of now: leases and Grants that have ended are ended before anything is decided. */
  #current(): AccountState {
    if (this.#state === null) throw new Error("this Account was never opened");
    const now = Date.now();
    this.#activeAt = now;
    if (expire(this.#state.ledger, now)) {
      this.#commitSoon();
      this.#advanceLine(this.#state);
    }
    return this.#state;
  }

  #decide(state: AccountState, request: AdmitRequest, place: LinePlace): AdmitDecision {
    const { HOLD_LEASE_MS } = this.#configuration;
    const decision = decideAdmission(state, request, place, Date.now(), HOLD_LEASE_MS);
    if (decision.decision === "admitted") {
      const key = state.keys.get(request.keyHash);
      if (key !== undefined) this.#usedKeys.add(key);
      // Only a Hold beyond the block waits for a write; the others are on record soon after.
      if (mustCommit(state.ledger)) this.#commit(state, false);
      else this.#commitSoon();
    }
    return decision;
  }

  /** Starts those whose turn has come, and sends away those whose key ended meanwhile. */
  #advanceLine(state: AccountState): void {
    const now = Date.now();
    const refusals = new Map<string, Refusal>();
    for (const waiter of this.#line.takeWhere((one) => {
      const key = checkKey(state, one.request.keyHash, now);
      if ("reason" in key) refusals.set(one.request.requestId, key);
      return "reason" in key;
    })) {
      const why = refusals.get(waiter.request.requestId);
      if (why !== undefined) waiter.answer(refusal(why, state));
    }
    while (state.ledger.holds.size < state.limits.running) {
      const waiter = this.#line.takeFirst();
      if (waiter === null) break;
      const decision = this.#decide(state, waiter.request, { waiting: 0, turn: true });
      waiter.answer(admission(decision, state));
    }
    this.#watchLine();
  }

  /** One timer for the whole line: the deadline of the one who came first. */
  #watchLine(): void {
    const deadline = this.#line.nextDeadline;
    if (deadline === null || this.#lineTimer !== null) return;
    this.#lineTimer = setTimeout(
      () => {
        this.#lineTimer = null;
        const state = this.#current();
        const now = Date.now();
        for (const waiter of this.#line.takeWhere((one) => one.until <= now)) {
          const why: Refusal = { reason: "line_wait_over", retryAfterMs: LINE_RETRY_AFTER_MS };
          waiter.answer(refusal(why, state));
        }
        this.#watchLine();
      },
      Math.max(1, deadline - Date.now()),
    );
  }

  #updateKey(keyId: string, update: (key: KeyRecord) => void): Repeatable<KeyRecord> {
    const state = this.#state;
    const key = state === null ? undefined : this.#keyById(state, keyId);
    if (state === null || key === undefined) return { ok: false, reason: "unknown" };
    update(key);
    for (const [hash, one] of state.keys) if (one === key) this.#storage.writeKey(hash, key);
    this.#advanceLine(state);
    return { ok: true, value: key };
  }

  #keyById(state: AccountState, keyId: string): KeyRecord | undefined {
    for (const key of state.keys.values()) if (key.id === keyId) return key;
    return undefined;
  }

  /** Resolves once all that is settled so far is written; the answer then waits for the disk. */
  #committed(state: AccountState): Promise<void> {
    if (state.ledger.uncommitted.endings.length >= COMMIT_AT_SETTLEMENTS) {
      this.#commit(state, false);
      return Promise.resolve();
    }
    this.#commitSoon();
    return new Promise((resolve) => this.#awaitingCommit.push(resolve));
  }

  #commitSoon(): void {
    this.#commitTimer ??= setTimeout(() => {
      this.#commitTimer = null;
      if (this.#state !== null) this.#commit(this.#state, false);
    }, COMMIT_AFTER_MS);
  }

  #commit(state: AccountState, atRest: boolean): void {
    if (this.#commitTimer !== null) clearTimeout(this.#commitTimer);
    this.#commitTimer = null;
    const now = Date.now();
    this.#storage.writeCommit(commit(state.ledger, now, atRest), state.rate, this.#usedKeys);
    this.#usedKeys.clear();
    for (const resolve of this.#awaitingCommit) resolve();
    this.#awaitingCommit = [];
    this.#armAlarm(state, now);
    if (!atRest && state.ledger.block > 0) this.#returnBlockWhenIdle();
  }

  /** The alarm outlives memory: a Hold whose gateway and object both died still ends. */
  #armAlarm(state: AccountState, now: number): void {
    const next = nextExpiry(state.ledger);
    if (next === null || this.#alarmAt > now) return;
    this.#alarmAt = Math.max(next, now + 1);
    this.ctx.waitUntil(this.ctx.storage.setAlarm(this.#alarmAt));
  }

  #returnBlockWhenIdle(): void {
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = null;
      const state = this.#state;
      if (state === null) return;
      const atRest = state.ledger.holds.size === 0 && Date.now() - this.#activeAt >= BLOCK_IDLE_MS;
      if (atRest) this.#commit(state, true);
      else this.#returnBlockWhenIdle();
    }, BLOCK_IDLE_MS);
  }

  #snapshotOf(state: AccountState): AccountSnapshot {
    return {
      profile: state.profile,
      limits: state.limits,
      tokens: figures(state.ledger),
      running: state.ledger.holds.size,
      waiting: this.#line.length,
      unreported: state.ledger.unreported,
      overrunTokens: state.ledger.overrunTokens,
    };
  }
}

function unknownKey(): { outcome: "refused"; refusal: Refusal; figures: null } {
  return { outcome: "refused", refusal: { reason: "key_unknown" }, figures: null };
}

function refusal(why: Refusal, state: AccountState): Admission {
  return { outcome: "refused", refusal: why, figures: accountFigures(state, Date.now()) };
}

function admission(decision: AdmitDecision, state: AccountState): Admission {
  if (decision.decision === "wait") throw new Error("a waiting request has no admission yet");
  if (decision.decision === "refused") return refusal(decision.refusal, state);
  const { keyId, held, maxTokens } = decision;
  const now = Date.now();
  return { outcome: "admitted", keyId, held, maxTokens, figures: accountFigures(state, now) };
}
