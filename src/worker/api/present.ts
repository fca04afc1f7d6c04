// Records as the API shows them: snake case, times in ISO 8601.
import type {
  AccountLimits,
  AccountSnapshot,
  GrantRecord,
  KeyRecord,
  UsageRow,
} from "../../contract/account.ts";
import type { AuditEntry, Person, TokenRequest } from "../../contract/directory.ts";
import { APP_KEY_ID } from "../../contract/jobs.ts";

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export function presentLimits(limits: AccountLimits) {
  const { running, waiting, startsPerMinute } = limits;
  return { running, waiting, starts_per_minute: startsPerMinute };
}

export function presentKey(key: KeyRecord) {
  return {
    id: key.id,
    name: key.name,
    start: key.start,
    scope: key.scope,
    created_at: iso(key.createdAt),
    expires_at: iso(key.expiresAt),
    monthly_token_limit: key.monthlyTokenLimit,
    last_used_at: iso(key.lastUsedAt),
    revoked_at: iso(key.revokedAt),
    revoked_why: key.revokedWhy,
  };
}

export function presentGrant(grant: GrantRecord) {
  const { id, tokens, note, used, lapsed } = grant;
  return { id, tokens, note, at: iso(grant.at), expires_at: iso(grant.expiresAt), used, lapsed };
}

export function presentPerson(person: Person) {
  const { id, email, role, disabled } = person;
  return {
    ...{ id, email, role, disabled, created_at: iso(person.createdAt) },
    invited_until: iso(person.invitedUntil),
    last_signed_in_at: iso(person.lastSignedInAt),
  };
}

/** `email` is the person's, or null if the Directory does not know them. */
export function presentTokenRequest(request: TokenRequest, email: string | null) {
  const { id, personId, tokens, reason, state, granted, note } = request;
  return {
    ...{ id, person: { id: personId, email }, tokens, reason, state, granted, note },
    asked_at: iso(request.askedAt),
    decided_at: iso(request.decidedAt),
    decided_by: request.decidedBy,
  };
}

export function presentAuditEntry({ id, at, who, what, whom, detail }: AuditEntry) {
  return { id, at: iso(at), who, what, whom, detail };
}

export function presentSnapshot(snapshot: AccountSnapshot) {
  const { tokens, running, waiting, overrunTokens } = snapshot;
  const { requests, atMostTokens, unclaimedTokens } = snapshot.unreported;
  return {
    tokens,
    limits: presentLimits(snapshot.limits),
    running,
    waiting,
    unreported: { requests, at_most_tokens: atMostTokens, unclaimed_tokens: unclaimedTokens },
    overrun_tokens: overrunTokens,
  };
}

/** What is under no key of the person's was started in the App; null of a key that is gone. */
export function keyNameOf(keyId: string, keyNames: ReadonlyMap<string, string>): string | null {
  return keyNames.get(keyId) ?? (keyId === APP_KEY_ID ? "App" : null);
}

export function presentUsage(row: UsageRow, keyNames: ReadonlyMap<string, string>) {
  return {
    day: row.day,
    model: row.model,
    key: { id: row.keyId, name: keyNameOf(row.keyId, keyNames) },
    requests: row.requests,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    total_tokens: row.promptTokens + row.completionTokens,
  };
}
