// Rows of an Account's tables as records, and back.
import type { GrantRecord, KeyRecord, UsageRow } from "../../contract/account.ts";
import type { UsageDelta } from "../../core/ledger-state.ts";

export type Row = Record<string, SqlStorageValue>;

export function grantFromRow(row: Row): GrantRecord {
  return {
    id: String(row.id),
    tokens: Number(row.tokens),
    note: String(row.note),
    at: Number(row.at),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    used: Number(row.used),
    lapsed: Number(row.lapsed),
  };
}

export function usageFromRow(row: Row): UsageRow {
  return {
    day: String(row.day),
    model: String(row.model),
    keyId: String(row.key_id),
    requests: Number(row.requests),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
  };
}

export function keyFromRow(row: Row): KeyRecord {
  const time = (value: SqlStorageValue | undefined) =>
    value === null || value === undefined ? null : Number(value);
  return {
    id: String(row.id),
    name: String(row.name),
    start: String(row.start),
    scope: row.scope === "admin" ? "admin" : "completions",
    createdAt: Number(row.created_at),
    expiresAt: time(row.expires_at),
    monthlyTokenLimit: time(row.monthly_token_limit),
    lastUsedAt: time(row.last_used_at),
    revokedAt: time(row.revoked_at),
    revokedWhy: row.revoked_why === null ? null : String(row.revoked_why),
  };
}

/** A commit's deltas, one row for each day, Model and key. */
export function sumByDay(deltas: readonly UsageDelta[]): Iterable<UsageRow> {
  const rows = new Map<string, UsageRow>();
  for (const delta of deltas) {
    const { model, keyId, requests, promptTokens, completionTokens } = delta;
    const day = new Date(delta.at).toISOString().slice(0, 10);
    const id = JSON.stringify([day, model, keyId]);
    const row = rows.get(id);
    if (row === undefined) {
      rows.set(id, { day, model, keyId, requests, promptTokens, completionTokens });
    } else {
      row.requests += requests;
      row.promptTokens += promptTokens;
      row.completionTokens += completionTokens;
    }
  }
  return rows.values();
}
