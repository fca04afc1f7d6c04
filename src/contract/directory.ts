// What the Worker and the Directory object say to each other: who the people are, and who did what.
// Times are milliseconds since 1970 (UTC).
import type { Repeatable, Role } from "./account.ts";

/** How a person was seen by the OpenID provider; a person who has signed in once is bound to it. */
export interface OpenIdSubject {
  issuer: string;
  sub: string;
}

export interface Person {
  /** Also the id of the person's Account, and the middle of each of their keys. */
  id: string;
  email: string;
  role: Role;
  disabled: boolean;
  createdAt: number;
  /** Until when the e-mail address may be used for the first sign-in; null once it was. */
  invitedUntil: number | null;
  lastSignedInAt: number | null;
}

export interface SignInRequest extends OpenIdSubject {
  email: string;
  /** Only a verified address proves anything. */
  emailVerified: boolean;
  /** The person to be made if nobody has this address: the first Admin, named by configuration. */
  firstAdmin: { id: string } | null;
  session: NewSession;
}

export interface NewSession {
  /** SHA-256 of the session's id in hex; the id itself is in the cookie alone. */
  hash: string;
  /** Short words for the person's own list, such as `Firefox on Linux`. */
  agent: string;
}

export type SignIn =
  /** `madeRoom`: ids of the person's sessions that ended for this one to begin. */
  | { outcome: "signed_in"; person: Person; first: boolean; madeRoom: string[] }
  | { outcome: "not_invited" | "invite_expired" | "email_unverified" | "disabled" }
  /** The address belongs to a person who signs in as somebody else at the provider. */
  | { outcome: "bound_to_another" };

export interface Session {
  /** Names it in lists and forms; it signs nobody in. */
  id: string;
  agent: string;
  startedAt: number;
  lastSeenAt: number;
  current: boolean;
}

export type TokenRequestState = "open" | "approved" | "rejected" | "withdrawn";

export interface TokenRequest {
  id: string;
  personId: string;
  tokens: number;
  reason: string;
  state: TokenRequestState;
  askedAt: number;
  decidedAt: number | null;
  /** A person's id or `operator`. */
  decidedBy: string | null;
  /** What was granted, or null. */
  granted: number | null;
  note: string;
}

export interface Decision {
  decision: "approved" | "rejected";
  by: string;
  /** Of an approval; 0 of a rejection. */
  tokens: number;
  note: string;
}

/** The first decision counts; a later one of the same content is the same, another is told which was first. */
export type Decided =
  | { outcome: "decided"; request: TokenRequest }
  | { outcome: "decided_before"; request: TokenRequest }
  | { outcome: "unknown" };

/** What an Account says of itself, some seconds after it changes; whoever decides by it asks the Account. */
export interface RollUp {
  personId: string;
  /** When it was read. */
  at: number;
  /** That of `spentThisMonth`: UTC, `2026-11`. */
  month: string;
  spentThisMonth: number;
  granted: number;
  available: number;
  /** Of any of the keys. */
  lastUsedAt: number | null;
}

export interface AuditFilter {
  who: string | null;
  whom: string | null;
  what: string | null;
  /** Of a page's `next`. */
  after: string | null;
  limit: number;
}

export interface AuditEntry {
  /** Makes the row repeatable. */
  id: string;
  at: number;
  /** A person's id, or `operator`. */
  who: string;
  what: string;
  /** The person it was done to. */
  whom: string | null;
  /** Never a prompt, a completion, a key or a session id. */
  detail: Record<string, string | number | boolean | null>;
}

/** Who took a key away: an Admin, whoever may send the operator's webhooks, or GitHub. */
export type RevocationSource = "admin" | "webhook" | "github";

/** What a person is told of a key of theirs that others revoked. */
export interface KeyNotice {
  keyId: string;
  personId: string;
  at: number;
  keyName: string;
  /** The key's first characters. */
  keyStart: string;
  source: RevocationSource;
  why: string;
}

export interface ReceivedWebhook {
  /** Of the sender; it begins with the name of the route, since senders do not know of each other. */
  id: string;
  /** SHA-256 in hex. */
  bodyHash: string;
  /** JSON, as it was answered. */
  answer: string;
}

export interface KeyOwner {
  /** Null when no key in the index has this hash. */
  accountId: string | null;
  /** Then: Accounts whose keys are not all in the index yet; as many as are read at a time. */
  toIndex: string[];
}

export interface Page<T> {
  rows: T[];
  /** Pass it as `after` for the next page; null at the end. */
  next: string | null;
}

/** The Directory object's RPC. Each call is repeatable. */
export interface DirectoryRpc {
  /** By e-mail address: the same address and role get the same person, another role a conflict. */
  addPerson(person: { id: string; email: string; role: Role }): Promise<Repeatable<Person>>;
  changePerson(
    id: string,
    change: { role?: Role | undefined; disabled?: boolean | undefined },
  ): Promise<Repeatable<Person>>;
  person(id: string): Promise<Person | null>;
  /** Whoever has signed in as this subject. */
  personOfSubject(subject: OpenIdSubject): Promise<Person | null>;
  /** Those of these ids that there are; two for each row of the largest page, and no more. */
  peopleByIds(ids: readonly string[]): Promise<Person[]>;
  people(page: {
    after: string | null;
    limit: number;
    email: string | null;
  }): Promise<Page<Person>>;
  /** Extends an invite that nobody has used. */
  invite(id: string): Promise<Repeatable<Person>>;

  signIn(request: SignInRequest): Promise<SignIn>;
  /** Null for an unknown, ended or expired session, and for a disabled person. */
  session(hash: string): Promise<{ person: Person; sessionId: string } | null>;
  sessions(personId: string, currentHash: string | null): Promise<Session[]>;
  /** False when the person has no such session. `"all"` ends every one. */
  endSession(personId: string, sessionId: string): Promise<boolean>;

  /** One open request a person; a conflict says that there is one. Repeatable by its id. */
  askForTokens(request: {
    id: string;
    personId: string;
    tokens: number;
    reason: string;
  }): Promise<Repeatable<TokenRequest>>;
  withdrawTokenRequest(personId: string, id: string): Promise<Repeatable<TokenRequest>>;
  tokenRequest(id: string): Promise<TokenRequest | null>;
  /** Newest first. */
  tokenRequests(filter: {
    personId: string | null;
    /** `closed` is every state but `open`. */
    state: TokenRequestState | "closed" | null;
    after: string | null;
    limit: number;
  }): Promise<Page<TokenRequest>>;
  openTokenRequests(): Promise<number>;
  /**
   * Writes the decision with its row in the audit log. What an approval gives is due from then on:
   * whoever decided gives it and says so, or the Directory does some seconds later.
   */
  decideTokenRequest(id: string, decision: Decision): Promise<Decided>;
  granted(requestId: string): Promise<void>;

  /** Replaces an older one. */
  rollUp(rollUp: RollUp): Promise<void>;
  /** Of those of these people who have one; as many as there are rows on the largest page. */
  rollUps(personIds: readonly string[]): Promise<RollUp[]>;

  /** Newest first. */
  audit(filter: AuditFilter): Promise<Page<AuditEntry>>;
  record(entry: AuditEntry): Promise<void>;
  /** The detail of the audit row with this id, or null. */
  recorded(id: string): Promise<AuditEntry["detail"] | null>;

  /** Before the key is minted. `all` says that the Account has no other keys. */
  indexKeys(accountId: string, hashes: readonly string[], options: { all: boolean }): Promise<void>;
  ownerOfHash(hash: string): Promise<KeyOwner>;

  received(id: string): Promise<ReceivedWebhook | null>;
  /** Answers what is kept: an earlier one with the same id, if there is one. */
  keepReceived(received: ReceivedWebhook): Promise<ReceivedWebhook>;

  tellOfKey(notice: KeyNotice): Promise<void>;
  keyNotices(personId: string): Promise<KeyNotice[]>;
  dismissKeyNotice(personId: string, keyId: string): Promise<boolean>;
}
