// Who the people are and who did what to whom: one object, off the hot path. Nothing awaits between
// a decision and its writes, so that the runtime commits those of one call together.
import { DurableObject } from "cloudflare:workers";
import type { Repeatable, Role } from "../../contract/account.ts";
import type {
  AuditEntry,
  AuditFilter,
  Decided,
  Decision,
  DirectoryRpc,
  KeyNotice,
  KeyOwner,
  OpenIdSubject,
  Page,
  Person,
  ReceivedWebhook,
  RollUp,
  Session,
  SignIn,
  SignInRequest,
  TokenRequest,
} from "../../contract/directory.ts";
import { PAGE_MAX_ROWS } from "../../contract/limits.ts";
import { Errands } from "../errands.ts";
import { migrate } from "../migrate.ts";
import type { ObjectBindings } from "../objects.ts";
import directorySql from "./0001-directory.sql";
import appSql from "./0002-app.sql";
import webhooksInSql from "./0003-webhooks-in.sql";
import rollUpsSql from "./0004-roll-ups.sql";
import { auditDetail, pageOfAudit, writeAudit } from "./audit-log.ts";
import { giveGrantsDue } from "./grants-due.ts";
import { finishIndex, indexKeys, ownerOfHash } from "./key-index.ts";
import { dismissKeyNotice, keyNoticesOf, tellOfKey } from "./key-notices.ts";
import { addPerson, extendInvite, findPerson, pageOfPeople } from "./person-rows.ts";
import { findReceived, keepReceived } from "./received-webhooks.ts";
import { keepRollUp, rollUpsOf } from "./roll-ups.ts";
import { endSession, readSession, sessionsOf } from "./sessions.ts";
import { personOfSubject, signIn } from "./sign-in.ts";
import {
  addTokenRequest,
  countOpen,
  decideTokenRequest,
  findTokenRequest,
  noteGranted,
  pageOfTokenRequests,
  withdrawTokenRequest,
} from "./token-request-rows.ts";

export class Directory extends DurableObject<ObjectBindings> implements DirectoryRpc {
  readonly #sql: SqlStorage;
  readonly #errands: Errands;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    migrate(context.storage, [directorySql, appSql, webhooksInSql, rollUpsSql]);
    this.#sql = context.storage.sql;
    this.#errands = new Errands(context, [giveGrantsDue(this.#sql, env)]);
  }

  async addPerson(person: { id: string; email: string; role: Role }): Promise<Repeatable<Person>> {
    return addPerson(this.#sql, person, Date.now());
  }

  async changePerson(
    id: string,
    change: { role?: Role | undefined; disabled?: boolean | undefined },
  ): Promise<Repeatable<Person>> {
    const before = findPerson(this.#sql, "id", id);
    if (before === null) return { ok: false, reason: "unknown" };
    const role = change.role ?? before.role;
    const disabled = change.disabled ?? before.disabled;
    const update = "UPDATE people SET role = ?, disabled = ? WHERE id = ?";
    this.#sql.exec(update, role, disabled ? 1 : 0, id);
    // Ended for good: who is enabled again signs in again.
    if (disabled) endSession(this.#sql, id, "all");
    return { ok: true, value: { ...before, role, disabled } };
  }

  async person(id: string): Promise<Person | null> {
    return findPerson(this.#sql, "id", id);
  }

  async personOfSubject(subject: OpenIdSubject): Promise<Person | null> {
    return personOfSubject(this.#sql, subject)?.person ?? null;
  }

  async peopleByIds(ids: readonly string[]): Promise<Person[]> {
    return ids.slice(0, 2 * PAGE_MAX_ROWS).flatMap((id) => findPerson(this.#sql, "id", id) ?? []);
  }

  async people(page: {
    after: string | null;
    limit: number;
    email: string | null;
  }): Promise<Page<Person>> {
    return pageOfPeople(this.#sql, page);
  }

  async invite(id: string): Promise<Repeatable<Person>> {
    return extendInvite(this.#sql, id, Date.now());
  }

  async signIn(request: SignInRequest): Promise<SignIn> {
    return signIn(this.#sql, request, Date.now());
  }

  async session(hash: string): Promise<{ person: Person; sessionId: string } | null> {
    return readSession(this.#sql, hash, Date.now());
  }

  async sessions(personId: string, currentHash: string | null): Promise<Session[]> {
    return sessionsOf(this.#sql, personId, currentHash, Date.now());
  }

  async endSession(personId: string, sessionId: string): Promise<boolean> {
    return endSession(this.#sql, personId, sessionId);
  }

  async askForTokens(request: {
    id: string;
    personId: string;
    tokens: number;
    reason: string;
  }): Promise<Repeatable<TokenRequest>> {
    return addTokenRequest(this.#sql, request, Date.now());
  }

  async withdrawTokenRequest(personId: string, id: string): Promise<Repeatable<TokenRequest>> {
    return withdrawTokenRequest(this.#sql, personId, id, Date.now());
  }

  async tokenRequest(id: string): Promise<TokenRequest | null> {
    return findTokenRequest(this.#sql, id);
  }

  async tokenRequests(
    filter: Parameters<DirectoryRpc["tokenRequests"]>[0],
  ): Promise<Page<TokenRequest>> {
    return pageOfTokenRequests(this.#sql, filter);
  }

  async openTokenRequests(): Promise<number> {
    // Every page of an Admin asks this: an alarm that was lost is set again.
    this.#tend();
    return countOpen(this.#sql);
  }

  async decideTokenRequest(id: string, decision: Decision): Promise<Decided> {
    const decided = decideTokenRequest(this.#sql, id, decision, Date.now());
    this.#tend();
    return decided;
  }

  async granted(requestId: string): Promise<void> {
    noteGranted(this.#sql, requestId);
  }

  async rollUp(rollUp: RollUp): Promise<void> {
    keepRollUp(this.#sql, rollUp);
  }

  async rollUps(personIds: readonly string[]): Promise<RollUp[]> {
    return rollUpsOf(this.#sql, personIds);
  }

  async audit(filter: AuditFilter): Promise<Page<AuditEntry>> {
    return pageOfAudit(this.#sql, filter);
  }

  async record(entry: AuditEntry): Promise<void> {
    writeAudit(this.#sql, entry);
  }

  async recorded(id: string): Promise<AuditEntry["detail"] | null> {
    return auditDetail(this.#sql, id);
  }

  async indexKeys(
    accountId: string,
    hashes: readonly string[],
    { all }: { all: boolean },
  ): Promise<void> {
    indexKeys(this.#sql, accountId, hashes);
    if (all) finishIndex(this.#sql, accountId);
  }

  async ownerOfHash(hash: string): Promise<KeyOwner> {
    return ownerOfHash(this.#sql, hash);
  }

  async received(id: string): Promise<ReceivedWebhook | null> {
    return findReceived(this.#sql, id);
  }

  async keepReceived(received: ReceivedWebhook): Promise<ReceivedWebhook> {
    return keepReceived(this.#sql, received, Date.now());
  }

  async tellOfKey(notice: KeyNotice): Promise<void> {
    tellOfKey(this.#sql, notice);
  }

  async keyNotices(personId: string): Promise<KeyNotice[]> {
    return keyNoticesOf(this.#sql, personId);
  }

  async dismissKeyNotice(personId: string, keyId: string): Promise<boolean> {
    return dismissKeyNotice(this.#sql, personId, keyId, Date.now());
  }
  /** Gives what was approved and not granted. */
  override async alarm(): Promise<void> {
    this.#errands.alarmCame();
    this.#tend();
  }

  #tend(): void {
    this.#errands.tend(Date.now(), () => null);
  }
}
