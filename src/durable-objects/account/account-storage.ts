// An Account's rows. Reads once when the object starts; after that memory is the truth and each
// write here is one synchronous transaction, which the output gate makes durable before any answer
// that was given after it leaves the object.
import type { AccountProfile, GrantRecord, KeyRecord, UsageRow } from "../../contract/account.ts";
import { ENDED_KEPT_MS } from "../../contract/limits.ts";
import {
  type Commit,
  type Durable,
  type Ending,
  emptyDurable,
  type Hold,
  keyMonth,
  type UsageDelta,
} from "../../core/ledger.ts";
import type { RateState } from "../../core/rate-limit.ts";
import { migrate } from "../migrate.ts";
import accountSql from "./0001-account.sql";

/** Old endings are swept in this rhythm rather than at every commit. */
const SWEEP_EVERY_MS = 60_000;

interface LedgerRow extends Record<string, SqlStorageValue> {
  at: number;
  block: number;
  holds: string;
  unreported_requests: number;
  unreported_tokens: number;
  overrun_tokens: number;
  rate: number;
}

export class AccountStorage {
  readonly #storage: DurableObjectStorage;
  /** `used` and `lapsed` of each Grant as last written, to write only what changed. */
  readonly #writtenGrants = new Map<string, string>();
  #sweptAt = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    migrate(storage, [accountSql]);
  }

  get #sql(): SqlStorage {
    return this.#storage.sql;
  }

  readProfile(): AccountProfile | null {
    const rows = this.#sql.exec<{ profile: string }>("SELECT profile FROM profile").toArray();
    return rows[0] === undefined ? null : (JSON.parse(rows[0].profile) as AccountProfile);
  }

  writeProfile(profile: AccountProfile): void {
    this.#sql.exec(
      `INSERT INTO profile (one, profile) VALUES (1, ?)
       ON CONFLICT (one) DO UPDATE SET profile = excluded.profile`,
      JSON.stringify(profile),
    );
  }

  readLedger(now: number): { durable: Durable; rate: RateState } {
    const row = this.#sql.exec<LedgerRow>("SELECT * FROM ledger").toArray()[0];
    const grants = this.#readGrants();
    for (const grant of grants) this.#writtenGrants.set(grant.id, written(grant));
    if (row === undefined) return { durable: { ...emptyDurable(now), grants }, rate: 0 };
    const endings = this.#sql
      .exec<{ endings: string }>(
        "SELECT endings FROM endings WHERE at > ? ORDER BY seq",
        now - ENDED_KEPT_MS,
      )
      .toArray()
      .flatMap((commit) => JSON.parse(commit.endings) as Ending[]);
    const durable: Durable = {
      at: row.at,
      block: row.block,
      grants,
      holds: JSON.parse(row.holds) as Hold[],
      endings,
      unreported: { requests: row.unreported_requests, atMostTokens: row.unreported_tokens },
      overrunTokens: row.overrun_tokens,
      keyMonths: this.#readKeyMonths(now),
    };
    return { durable, rate: row.rate };
  }

  writeCommit(commit: Commit, rate: RateState, usedKeys: Iterable<KeyRecord>): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec(
        `INSERT OR REPLACE INTO ledger
         (one, at, block, holds, unreported_requests, unreported_tokens, overrun_tokens, rate)
         VALUES (1, ?, ?, ?, ?, ?, ?, ?)`,
        commit.at,
        commit.block,
        JSON.stringify(commit.holds),
        commit.unreported.requests,
        commit.unreported.atMostTokens,
        commit.overrunTokens,
        rate,
      );
      if (commit.endings.length > 0) {
        this.#sql.exec(
          "INSERT INTO endings (at, endings) VALUES (?, ?)",
          commit.at,
          JSON.stringify(commit.endings),
        );
      }
      for (const grant of commit.grants) this.#writeGrant(grant);
      for (const row of sumByDay(commit.usage)) this.#addUsage(row);
      for (const key of usedKeys) {
        this.#sql.exec("UPDATE keys SET last_used_at = ? WHERE id = ?", key.lastUsedAt, key.id);
      }
      this.#sweepEndings(commit.at);
    });
  }

  readKeys(): { hash: string; key: KeyRecord }[] {
    const rows = this.#sql.exec<Record<string, SqlStorageValue>>(
      "SELECT * FROM keys ORDER BY created_at, id",
    );
    return [...rows].map((row) => ({ hash: String(row.hash), key: keyFromRow(row) }));
  }

  writeKey(hash: string, key: KeyRecord): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO keys
       (id, hash, name, start, scope, created_at, expires_at, monthly_token_limit, last_used_at,
        revoked_at, revoked_why)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      key.id,
      hash,
      key.name,
      key.start,
      key.scope,
      key.createdAt,
      key.expiresAt,
      key.monthlyTokenLimit,
      key.lastUsedAt,
      key.revokedAt,
      key.revokedWhy,
    );
  }

  readUsage(from: string, to: string): UsageRow[] {
    return this.#sql
      .exec<Record<string, SqlStorageValue>>(
        "SELECT * FROM usage WHERE day BETWEEN ? AND ? ORDER BY day, model, key_id",
        from,
        to,
      )
      .toArray()
      .map((row) => ({
        day: String(row.day),
        model: String(row.model),
        keyId: String(row.key_id),
        requests: Number(row.requests),
        promptTokens: Number(row.prompt_tokens),
        completionTokens: Number(row.completion_tokens),
      }));
  }

  #readGrants(): GrantRecord[] {
    return this.#sql
      .exec<Record<string, SqlStorageValue>>("SELECT * FROM grants")
      .toArray()
      .map((row) => ({
        id: String(row.id),
        tokens: Number(row.tokens),
        note: String(row.note),
        at: Number(row.at),
        expiresAt: row.expires_at === null ? null : Number(row.expires_at),
        used: Number(row.used),
        lapsed: Number(row.lapsed),
      }));
  }

  #writeGrant(grant: GrantRecord): void {
    const state = written(grant);
    if (this.#writtenGrants.get(grant.id) === state) return;
    this.#writtenGrants.set(grant.id, state);
    this.#sql.exec(
      `INSERT INTO grants (id, tokens, note, at, expires_at, used, lapsed)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET used = excluded.used, lapsed = excluded.lapsed`,
      grant.id,
      grant.tokens,
      grant.note,
      grant.at,
      grant.expiresAt,
      grant.used,
      grant.lapsed,
    );
  }

  #addUsage(row: UsageRow): void {
    this.#sql.exec(
      `INSERT INTO usage (day, model, key_id, requests, prompt_tokens, completion_tokens)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (day, model, key_id) DO UPDATE SET
         requests = requests + excluded.requests,
         prompt_tokens = prompt_tokens + excluded.prompt_tokens,
         completion_tokens = completion_tokens + excluded.completion_tokens`,
      row.day,
      row.model,
      row.keyId,
      row.requests,
      row.promptTokens,
      row.completionTokens,
    );
  }

  #readKeyMonths(now: number): [string, number][] {
    const month = new Date(now).toISOString().slice(0, 7);
    return this.#sql
      .exec<{ key_id: string; tokens: number }>(
        `SELECT key_id, sum(prompt_tokens + completion_tokens) AS tokens
         FROM usage WHERE day BETWEEN ? AND ? GROUP BY key_id`,
        `${month}-01`,
        `${month}-31`,
      )
      .toArray()
      .map((row) => [keyMonth(row.key_id, now), row.tokens]);
  }

  #sweepEndings(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    this.#sql.exec("DELETE FROM endings WHERE at <= ?", now - ENDED_KEPT_MS);
  }
}

function written(grant: GrantRecord): string {
  return `${grant.used} ${grant.lapsed}`;
}

function keyFromRow(row: Record<string, SqlStorageValue>): KeyRecord {
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
function sumByDay(deltas: readonly UsageDelta[]): Iterable<UsageRow> {
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
