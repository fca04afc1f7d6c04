// Who asked for tokens and what was decided. One open request a person; the first decision counts.
import type { Repeatable } from "../../contract/account.ts";
import type {
  AuditEntry,
  Decided,
  Decision,
  DirectoryRpc,
  Page,
  TokenRequest,
  TokenRequestState,
} from "../../contract/directory.ts";
import { writeAudit } from "./audit-log.ts";
import { findPerson } from "./person-rows.ts";
import { readPage } from "./read-page.ts";

interface TokenRequestRow extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  person_id: string;
  tokens: number;
  reason: string;
  state: string;
  asked_at: number;
  decided_at: number | null;
  decided_by: string | null;
  granted: number | null;
  note: string;
}

type Asked = Parameters<DirectoryRpc["askForTokens"]>[0];

export function addTokenRequest(
  sql: SqlStorage,
  asked: Asked,
  now: number,
): Repeatable<TokenRequest> {
  const { id, personId, tokens, reason } = asked;
  const before = findTokenRequest(sql, id);
  if (before !== null) {
    const same =
      before.personId === personId && before.tokens === tokens && before.reason === reason;
    return same ? { ok: true, value: before } : { ok: false, reason: "conflict" };
  }
  if (findPerson(sql, "id", personId) === null) return { ok: false, reason: "unknown" };
  const open = "SELECT 1 FROM token_requests WHERE person_id = ? AND state = 'open'";
  if (sql.exec(open, personId).toArray().length > 0) return { ok: false, reason: "conflict" };
  sql.exec(
    `INSERT INTO token_requests (id, person_id, tokens, reason, state, asked_at, note)
     VALUES (?, ?, ?, ?, 'open', ?, '')`,
    id,
    personId,
    tokens,
    reason,
    now,
  );
  return known(sql, id);
}

export function withdrawTokenRequest(
  sql: SqlStorage,
  personId: string,
  id: string,
  now: number,
): Repeatable<TokenRequest> {
  const before = findTokenRequest(sql, id);
  if (before === null || before.personId !== personId) return { ok: false, reason: "unknown" };
  if (before.state === "withdrawn") return { ok: true, value: before };
  if (before.state !== "open") return { ok: false, reason: "conflict" };
  const withdraw = "UPDATE token_requests SET state = 'withdrawn', decided_at = ? WHERE id = ?";
  sql.exec(withdraw, now, id);
  return known(sql, id);
}

/**
 * Whoever decides the same a second time is told the same, whoever they are: what the first one left
 * half done can be finished by anybody.
 */
export function decideTokenRequest(
  sql: SqlStorage,
  id: string,
  decision: Decision,
  now: number,
): Decided {
  const before = findTokenRequest(sql, id);
  if (before === null) return { outcome: "unknown" };
  const granted = decision.decision === "approved" ? decision.tokens : null;
  if (before.state !== "open") {
    const same =
      before.state === decision.decision &&
      before.granted === granted &&
      before.note === decision.note;
    return { outcome: same ? "decided" : "decided_before", request: before };
  }
  const decided = {
    ...{ state: decision.decision, decidedAt: now, decidedBy: decision.by },
    ...{ granted, note: decision.note },
  };
  sql.exec(
    `UPDATE token_requests
     SET state = ?, decided_at = ?, decided_by = ?, granted = ?, note = ? WHERE id = ?`,
    decided.state,
    decided.decidedAt,
    decided.decidedBy,
    decided.granted,
    decided.note,
    id,
  );
  const request = { ...before, ...decided };
  writeAudit(sql, decisionInAudit(request, decision, now));
  if (decided.state === "approved") {
    sql.exec("INSERT INTO grants_due (request_id, decided_at) VALUES (?, ?)", id, now);
  }
  return { outcome: "decided", request };
}

function decisionInAudit(
  { id, personId }: TokenRequest,
  decision: Decision,
  at: number,
): AuditEntry {
  const { by: who, tokens, note } = decision;
  const what = decision.decision === "approved" ? "request.approve" : "request.reject";
  const detail = { request: id, ...(what === "request.approve" && { tokens }), note };
  return { id: `${what} ${id}`, at, who, what, whom: personId, detail };
}

/** Approvals whose Grant is not known to be given, the oldest first. */
export function grantsDue(
  sql: SqlStorage,
  limit: number,
): { requestId: string; decidedAt: number }[] {
  const read = "SELECT request_id, decided_at FROM grants_due ORDER BY decided_at LIMIT ?";
  const rows = sql.exec<{ request_id: string; decided_at: number }>(read, limit).toArray();
  return rows.map((row) => ({ requestId: row.request_id, decidedAt: row.decided_at }));
}

export function noteGranted(sql: SqlStorage, requestId: string): void {
  sql.exec("DELETE FROM grants_due WHERE request_id = ?", requestId);
}

export function findTokenRequest(sql: SqlStorage, id: string): TokenRequest | null {
  const rows = sql.exec<TokenRequestRow>("SELECT * FROM token_requests WHERE id = ?", id);
  const row = rows.toArray()[0];
  return row === undefined ? null : requestFrom(row);
}

export function pageOfTokenRequests(
  sql: SqlStorage,
  filter: Parameters<DirectoryRpc["tokenRequests"]>[0],
): Page<TokenRequest> {
  const { personId, state, ...page } = filter;
  const filters = { person_id: personId, state: state === "closed" ? { not: "open" } : state };
  const { rows, next } = readPage<TokenRequestRow>(sql, "token_requests", filters, page);
  return { rows: rows.map(requestFrom), next };
}

export function countOpen(sql: SqlStorage): number {
  const count = "SELECT count(*) AS open FROM token_requests WHERE state = 'open'";
  return sql.exec<{ open: number }>(count).one().open;
}

function known(sql: SqlStorage, id: string): Repeatable<TokenRequest> {
  const request = findTokenRequest(sql, id);
  return request === null ? { ok: false, reason: "unknown" } : { ok: true, value: request };
}

function requestFrom(row: TokenRequestRow): TokenRequest {
  return {
    id: row.id,
    personId: row.person_id,
    tokens: row.tokens,
    reason: row.reason,
    state: row.state as TokenRequestState,
    askedAt: row.asked_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    granted: row.granted,
    note: row.note,
  };
}
