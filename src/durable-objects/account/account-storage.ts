// An Account's rows. Reads once when the object starts; after that memory is the truth and each
// write here is one synchronous transaction, which the output gate makes durable before any answer
// that was given after it leaves the object. Memory counts a write as done: where one fails, the
// object ends, and starts again from what is on disk.
import type { AccountProfile, GrantRecord, KeyRecord, UsageRow } from "../../contract/account.ts";
import type { AppKeys } from "../../core/app-keys.ts";
import {
  type Commit,
  type Durable,
  emptyDurable,
  type Hold,
  keyMonth,
} from "../../core/ledger-state.ts";
import type { RateState } from "../../core/rate-limit.ts";
import { migrate } from "../migrate.ts";
import { writeOrEnd } from "../write-or-end.ts";
import accountSql from "./0001-account.sql";
import slicesSql from "./0002-slices.sql";
import appKeysSql from "./0003-app-keys.sql";
import eventsSql from "./0004-events.sql";
import appKeysRevokedSql from "./0005-app-keys-revoked.sql";
import { grantFromRow, keyFromRow, type Row, sumByDay, usageFromRow } from "./account-rows.ts";
import { readAppKeys, writeAppKeys } from "./app-key-rows.ts";
import { EndingRows } from "./ending-rows.ts";

interface LedgerRow extends Record<string, SqlStorageValue> {
  at: number;
  block: number;
  holds: string;
  unreported_requests: number;
  unreported_tokens: number;
  unclaimed_tokens: number;
  overrun_tokens: number;
  rate: number;
}

export class AccountStorage {
  readonly #context: DurableObjectState;
  /** `used` and `lapsed` of each Grant as last written, to write only what changed. */
  readonly #writtenGrants = new Map<string, string>();
  readonly #endings: EndingRows;

  constructor(context: DurableObjectState) {
    this.#context = context;
    this.#endings = new EndingRows(context.storage.sql);
    migrate(context.storage, [accountSql, slicesSql, appKeysSql, eventsSql, appKeysRevokedSql]);
  }

  get #sql(): SqlStorage {
    return this.#context.storage.sql;
  }

  readProfile(): AccountProfile | null {
    const rows = this.#sql.exec<{ profile: string }>("SELECT profile FROM profile").toArray();
    return rows[0] === undefined ? null : (JSON.parse(rows[0].profile) as AccountProfile);
  }

  writeProfile(profile: AccountProfile): void {
    this.#write(() => {
      this.#sql.exec(
        "INSERT OR REPLACE INTO profile (one, profile) VALUES (1, ?)",
        JSON.stringify(profile),
      );
    });
  }

  readLedger(now: number): { durable: Durable; rate: RateState } {
    const row = this.#sql.exec<LedgerRow>("SELECT * FROM ledger").toArray()[0];
    const grants = this.#readGrants();
    for (const grant of grants) this.#writtenGrants.set(grant.id, written(grant));
    if (row === undefined) return { durable: { ...emptyDurable(now), grants }, rate: 0 };
    const durable: Durable = {
      at: row.at,
      block: row.block,
      grants,
      holds: JSON.parse(row.holds) as Hold[],
      endings: this.#endings.read(now),
      unreported: {
        requests: row.unreported_requests,
        atMostTokens: row.unreported_tokens,
        unclaimedTokens: row.unclaimed_tokens,
      },
      overrunTokens: row.overrun_tokens,
      keyMonths: this.#readKeyMonths(now),
    };
    return { durable, rate: row.rate };
  }

  writeCommit(commit: Commit, rate: RateState, usedKeys: Iterable<KeyRecord>): void {
    this.#write(() => {
      this.#sql.exec(
        `INSERT OR REPLACE INTO ledger
         (one, at, block, holds, unreported_requests, unreported_tokens, unclaimed_tokens,
          overrun_tokens, rate)
         VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
        commit.at,
        commit.block,
        JSON.stringify(commit.holds),
        commit.unreported.requests,
        commit.unreported.atMostTokens,
        commit.unreported.unclaimedTokens,
        commit.overrunTokens,
        rate,
      );
      this.#endings.write(commit);
      for (const grant of commit.grants) this.#writeGrant(grant);
      for (const row of sumByDay(commit.usage)) this.#addUsage(row);
      for (const key of usedKeys) {
        this.#sql.exec("UPDATE keys SET last_used_at = ? WHERE id = ?", key.lastUsedAt, key.id);
      }
    });
  }

  readKeys(): { hash: string; key: KeyRecord }[] {
    const rows = this.#sql.exec<Row>("SELECT * FROM keys ORDER BY created_at, id");
    return [...rows].map((row) => ({ hash: String(row.hash), key: keyFromRow(row) }));
  }

  readAppKeys(): AppKeys {
    return readAppKeys(this.#sql);
  }

  writeAppKeys(keys: AppKeys): void {
    this.#write(() => writeAppKeys(this.#sql, keys));
  }

  writeKey(hash: string, key: KeyRecord): void {
    this.#write(() => {
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
    });
  }

  readUsage(from: string, to: string): UsageRow[] {
    return this.#sql
      .exec<Row>(
        "SELECT * FROM usage WHERE day BETWEEN ? AND ? ORDER BY day, model, key_id",
        from,
        to,
      )
      .toArray()
      .map(usageFromRow);
  }

  #write(statements: () => void): void {
    writeOrEnd(this.#context, () => this.#context.storage.transactionSync(statements));
  }

  #readGrants(): GrantRecord[] {
    return this.#sql.exec<Row>("SELECT * FROM grants").toArray().map(grantFromRow);
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
}

function written(grant: GrantRecord): string {
  return `${grant.used} ${grant.lapsed}`;
}
