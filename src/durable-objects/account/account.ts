// One person's tokens, keys and limits. The shell around core/admission and core/ledger: it loads,
// asks the core, writes, answers. Nothing awaits between a decision and its write. It is this long since
// every method of its RPC has to stand on the class; what they do stands beside it.
import { DurableObject } from "cloudflare:workers";
import type {
  AccountProfile,
  AccountRpc,
  AccountSnapshot,
  Admission,
  AdmitCall,
  AdmitRequest,
  CommitMark,
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
import type { AccountSlicesRpc } from "../../contract/account-slices.ts";
import type { AppKeyRequest } from "../../contract/app-keys.ts";
import { parseConfiguration } from "../../contract/configuration.ts";
import { type Packed, pack, unpack } from "../../contract/packed.ts";
import {
  type AccountState,
  type AdmitDecision,
  decideAdmission,
  type LinePlace,
  mayGoOn,
} from "../../core/admission.ts";
import { expire, renewHold } from "../../core/ledger.ts";
import type { ObjectBindings } from "../objects.ts";
import { AccountEvents } from "./account-events.ts";
import { grantOnce } from "./account-grants.ts";
import {
  addKeyOfApp,
  changeKey,
  endKeysOfApp,
  identifyKey,
  mintKey,
  revokeKey,
  revokeKeyOfApp,
} from "./account-keys.ts";
import { changeProfile, loadState, snapshotOf } from "./account-state.ts";
import { AccountStorage } from "./account-storage.ts";
import { Renewals } from "./renewals.ts";
import { RollUps } from "./roll-up.ts";
import { type EndedHold, settleEach } from "./settle-each.ts";
import { SliceHolds } from "./slice-holds.ts";
import { Turns } from "./turns.ts";
import { WriteBehind } from "./write-behind.ts";

type Asked<Method extends keyof AccountSlicesRpc> = Parameters<AccountSlicesRpc[Method]>;

export class Account extends DurableObject<ObjectBindings> implements AccountRpc {
  readonly #storage: AccountStorage;
  readonly #rollUps: RollUps;
  readonly #events: AccountEvents;
  readonly #writeBehind: WriteBehind;
  readonly #leaseMs: number;
  readonly #turns: Turns;
  readonly #slices: SliceHolds;
  readonly #renewals = new Renewals();
  /** Null until an Admin adds the person: a made-up Account has no state and no rows. */
  #state: AccountState | null = null;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    this.#leaseMs = parseConfiguration(env).HOLD_LEASE_MS;
    this.#storage = new AccountStorage(context);
    this.#rollUps = new RollUps(context, env);
    this.#events = new AccountEvents(context, env);
    this.#writeBehind = new WriteBehind(context, this.#storage, this.#rollUps, this.#events);
    this.#slices = new SliceHolds({
      ...{ writeBehind: this.#writeBehind, leaseMs: this.#leaseMs },
      current: () => (this.#state === null ? null : this.#current()),
      settle: (state, ended) => this.#settle(state, ended),
      freed: (state) => this.#turns.advance(state),
    });
    this.#turns = new Turns({
      current: () => this.#current(),
      decide: (state, request, place) => this.#decide(state, request, place),
    });
    const profile = this.#storage.readProfile();
    if (profile !== null) this.#begin(profile);
  }

  async open(profile: AccountProfile): Promise<AccountSnapshot> {
    if (this.#state === null) {
      this.#storage.writeProfile(profile);
      this.#begin(profile);
    }
    return snapshotOf(this.#current(), this.#turns.waiting);
  }

  async change(change: ProfileChange): Promise<Repeatable<AccountSnapshot>> {
    if (this.#state === null) return { ok: false, reason: "unknown" };
    const state = this.#current();
    changeProfile(state, change);
    this.#storage.writeProfile(state.profile);
    if (state.profile.disabled) endKeysOfApp(state, this.#storage, "all");
    this.#turns.advance(state);
    this.#renewals.tell();
    return { ok: true, value: snapshotOf(state, this.#turns.waiting) };
  }

  async snapshot(): Promise<AccountSnapshot | null> {
    return this.#state === null ? null : snapshotOf(this.#current(), this.#turns.waiting);
  }

  async identify(keyHash: string, options: { countsAsStart: boolean }): Promise<Identification> {
    if (this.#state === null) return unknownKey();
    const state = this.#current();
    const identified = identifyKey(state, keyHash, options, Date.now());
    if (identified.usedKey !== null) {
      this.#writeBehind.noteUse(identified.usedKey);
      this.#writeBehind.soon(state);
    }
    return identified.answer;
  }

  async admit(call: Packed<AdmitCall>): Promise<Packed<Admission>> {
    if (this.#state === null) return pack(unknownKey());
    const { request, ended } = unpack(call);
    const state = this.#current();
    if (ended.length === 0) return pack(await this.#turns.admit(state, request));
    const settled = this.#settle(state, ended);
    return pack({ ...(await this.#turns.admit(state, request)), settled });
  }

  async renew(request: RenewRequest, waitMs = 0): Promise<RenewAnswer> {
    if (this.#state === null) return { goOn: false, refusal: { reason: "key_unknown" } };
    const state = this.#current();
    const now = Date.now();
    renewHold(state.ledger, request, request.progress, now + this.#leaseMs);
    this.#writeBehind.asNeeded(state);
    const verdict = mayGoOn(state, request, now);
    if (!verdict.goOn || waitMs === 0) return verdict;
    await this.#renewals.news(request.requestId, waitMs);
    return mayGoOn(this.#current(), request, Date.now());
  }

  async settle(request: SettleRequest, options = { wait: true }): Promise<CommitMark> {
    if (this.#state === null) return { incarnation: "", commit: 0 };
    const mark = this.#settle(this.#current(), [request]);
    if (options.wait) await this.#writeBehind.written(mark);
    return mark;
  }

  async leave(requestId: string): Promise<void> {
    if (this.#state !== null) this.#turns.leave(this.#state, requestId);
  }

  async admitSlice(...asked: Asked<"admitSlice">) {
    return this.#slices.admitSlice(...asked);
  }

  async renewSlice(...asked: Asked<"renewSlice">) {
    return this.#slices.renewSlice(...asked);
  }

  async dropSlice(...asked: Asked<"dropSlice">) {
    return this.#slices.dropSlice(...asked);
  }

  async settleSlices(...asked: Asked<"settleSlices">) {
    return this.#slices.settleSlices(...asked);
  }

  async forgetSlices(...asked: Asked<"forgetSlices">) {
    return this.#slices.forgetSlices(...asked);
  }

  async mint(request: MintRequest): Promise<Repeatable<KeyRecord>> {
    if (this.#state === null) return { ok: false, reason: "unknown" };
    return mintKey(this.#state, this.#storage, request, Date.now());
  }

  async changeKey(keyId: string, change: KeyChange): Promise<Repeatable<KeyRecord>> {
    const state = this.#state;
    if (state === null) return { ok: false, reason: "unknown" };
    const changed = changeKey(state, this.#storage, keyId, change);
    this.#turns.advance(state);
    return changed;
  }

  async revoke(keyId: string, why: string): Promise<Repeatable<KeyRecord>> {
    const state = this.#state;
    if (state === null) return { ok: false, reason: "unknown" };
    const revocation = { at: Date.now(), why };
    const revoked = revokeKey(state, this.#storage, keyId, revocation, (key) =>
      this.#tellRevoked(state, key),
    );
    this.#turns.advance(state);
    this.#renewals.tell();
    return revoked;
  }

  async revokeAppKey(keyHash: string, why: string): Promise<KeyRecord | null> {
    const state = this.#state;
    if (state === null) return null;
    const revocation = { at: Date.now(), why };
    const revoked = revokeKeyOfApp(state, this.#storage, keyHash, revocation, (key) =>
      this.#tellRevoked(state, key),
    );
    this.#turns.advance(state);
    this.#renewals.tell();
    return revoked;
  }

  async addAppKey(request: AppKeyRequest): Promise<number | null> {
    const state = this.#state;
    return state === null ? null : addKeyOfApp(state, this.#storage, request, Date.now());
  }

  async endAppKeys(sessionId: string): Promise<void> {
    const state = this.#state;
    if (state === null) return;
    endKeysOfApp(state, this.#storage, sessionId);
    this.#turns.advance(state);
    this.#renewals.tell();
  }

  async keys(): Promise<KeyRecord[]> {
    return [...(this.#state?.keys.values() ?? [])];
  }

  async keyByHash(hash: string): Promise<KeyRecord | null> {
    const state = this.#state;
    return state?.keys.get(hash) ?? state?.appKeys.byHash.get(hash)?.key ?? null;
  }

  async keyHashes(): Promise<string[]> {
    return [...(this.#state?.keys.keys() ?? [])];
  }

  async grant(request: GrantRequest): Promise<Repeatable<GrantRecord>> {
    if (this.#state === null) return { ok: false, reason: "unknown" };
    const state = this.#current();
    const { answer, added } = grantOnce(state, request, Date.now());
    if (added !== null) {
      this.#events.granted(state, added);
      this.#writeBehind.now(state);
      this.#turns.advance(state);
    }
    return answer;
  }

  async grants(): Promise<GrantRecord[]> {
    if (this.#state === null) return [];
    return [...this.#current().ledger.grants].sort((a, b) => a.at - b.at);
  }

  async usage(range: { from: string; to: string }): Promise<UsageRow[]> {
    if (this.#state === null) return [];
    const state = this.#current();
    // What is settled but not yet written belongs to the answer.
    if (state.ledger.uncommitted.usage.length > 0) this.#writeBehind.now(state);
    return this.#storage.readUsage(range.from, range.to);
  }

  /** Ends what nobody renewed and tells what was not told, also when no call comes. */
  override async alarm(): Promise<void> {
    this.#writeBehind.alarmCame();
    if (this.#state === null) return;
    const state = this.#current();
    const now = Date.now();
    const told = [this.#rollUps.tellNow(state, now), this.#events.tellNow(now)];
    this.#writeBehind.now(state, state.ledger.holds.size === 0);
    await Promise.all(told);
    this.#writeBehind.arm(state);
  }

  #begin(profile: AccountProfile): void {
    this.#state = loadState(this.#storage, profile, this.#leaseMs);
    this.#rollUps.note(this.#state, Date.now());
    this.#events.begin(this.#state);
  }

  #tellRevoked(state: AccountState, key: KeyRecord): void {
    this.#events.keyRevoked(key);
    this.#writeBehind.arm(state);
  }

  /** The state as of now: leases and Grants that have ended are ended before anything is decided. */
  #current(): AccountState {
    const state = this.#state;
    if (state === null) throw new Error("this Account was never opened");
    const now = Date.now();
    this.#writeBehind.noteCall(now);
    if (expire(state.ledger, now)) {
      this.#writeBehind.asNeeded(state);
      this.#turns.advance(state);
    }
    return state;
  }

  #settle(state: AccountState, ended: readonly EndedHold[]): CommitMark {
    settleEach(state.ledger, ended, Date.now());
    for (const { requestId } of ended) {
      this.#renewals.ended(requestId);
      state.appKeys.running.delete(requestId);
    }
    this.#turns.advance(state);
    return this.#writeBehind.mark(state);
  }

  #decide(state: AccountState, request: AdmitRequest, place: LinePlace): AdmitDecision {
    const decision = decideAdmission(state, request, place, Date.now(), this.#leaseMs);
    if (decision.decision === "admitted") {
      const key = state.keys.get(request.keyHash);
      if (key !== undefined) this.#writeBehind.noteUse(key);
      this.#writeBehind.asNeeded(state);
    }
    return decision;
  }
}

function unknownKey(): { outcome: "refused"; refusal: Refusal; figures: null } {
  return { outcome: "refused", refusal: { reason: "key_unknown" }, figures: null };
}
