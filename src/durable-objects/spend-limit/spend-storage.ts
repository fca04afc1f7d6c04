// The Spend limit's rows. Read once when the object starts; after that memory is the truth, and where a
// write fails the object ends, and starts again from what is on disk.
import type { SpendDay } from "../../contract/spend.ts";
import { emptySpend, type SpendLedger } from "../../core/spend-limit.ts";
import { migrate } from "../migrate.ts";
import { writeOrEnd } from "../write-or-end.ts";
import spendLimitSql from "./0001-spend-limit.sql";

interface SettingsRow extends Record<string, SqlStorageValue> {
  limit_usd: number | null;
  paused_by_hand: number;
  reached_month: string | null;
  reached_limit_usd: number | null;
}

interface ModelRow extends Record<string, SqlStorageValue> {
  model: string;
  at: number;
  containers: number;
  usd_per_hour: number;
  wind_down_usd: number;
  told: string;
}

interface DayRow extends Record<string, SqlStorageValue> {
  day: string;
  model: string;
  container_seconds: number;
  usd: number;
  estimated: number;
}

export interface KeptSpend {
  ledger: SpendLedger;
  /** Null while the configured limit holds. */
  setLimitUsd: number | null;
  /** By Model: the verdict that its Inference object knows, as JSON. */
  told: Map<string, string>;
}

export class SpendStorage {
  readonly #context: DurableObjectState;
  #writtenSettings = "";

  constructor(context: DurableObjectState) {
    this.#context = context;
    migrate(context.storage, [spendLimitSql]);
  }

  get #sql(): SqlStorage {
    return this.#context.storage.sql;
  }

  read(configuredLimitUsd: number): KeptSpend {
    const settings = this.#sql.exec<SettingsRow>("SELECT * FROM settings").toArray()[0];
    const setLimitUsd = settings?.limit_usd ?? null;
    const ledger = emptySpend(setLimitUsd ?? configuredLimitUsd);
    const { reached_month: month = null, reached_limit_usd: limitUsd = null } = settings ?? {};
    ledger.pausedByHand = settings?.paused_by_hand === 1;
    ledger.reached = month === null || limitUsd === null ? null : { month, limitUsd };
    const told = new Map<string, string>();
    for (const row of this.#sql.exec<ModelRow>("SELECT * FROM models")) {
      const { containers, usd_per_hour: usdPerHour, wind_down_usd: windDownUsd } = row;
      const running = { containers, usdPerHour, windDownUsd };
      ledger.models.set(row.model, { at: row.at, running, days: new Map() });
      told.set(row.model, row.told);
    }
    for (const row of this.#sql.exec<DayRow>("SELECT * FROM days")) {
      const { day, container_seconds: containerSeconds, usd } = row;
      const kept = { day, containerSeconds, usd, estimated: row.estimated === 1 };
      ledger.models.get(row.model)?.days.set(day, kept);
    }
    return { ledger, setLimitUsd, told };
  }

  /** What a tick changed: the days, and what the Model runs. */
  writeTick(kept: KeptSpend, model: string, days: readonly SpendDay[], oldestDay: string): void {
    const spend = kept.ledger.models.get(model);
    if (spend === undefined) return;
    const { containers, usdPerHour, windDownUsd } = spend.running;
    const told = kept.told.get(model) ?? "";
    this.#write(() => {
      this.#sql.exec(
        "INSERT OR REPLACE INTO models VALUES (?, ?, ?, ?, ?, ?)",
        ...[model, spend.at, containers, usdPerHour, windDownUsd, told],
      );
      for (const { day, containerSeconds, usd, estimated } of days) {
        this.#sql.exec(
          "INSERT OR REPLACE INTO days VALUES (?, ?, ?, ?, ?)",
          ...[day, model, containerSeconds, usd, estimated ? 1 : 0],
        );
      }
      this.#sql.exec("DELETE FROM days WHERE day < ?", oldestDay);
    });
  }

  writeTold(model: string, told: string): void {
    this.#write(() => {
      this.#sql.exec("UPDATE models SET told = ? WHERE model = ?", told, model);
    });
  }

  /** The limit, the pause and what was reached; written where one of them is another. */
  writeSettings({ ledger, setLimitUsd }: KeptSpend): void {
    const { pausedByHand, reached } = ledger;
    const row = [setLimitUsd, pausedByHand ? 1 : 0, reached?.month, reached?.limitUsd];
    const values = row.map((value) => value ?? null);
    if (JSON.stringify(values) === this.#writtenSettings) return;
    this.#write(() => {
      this.#sql.exec("INSERT OR REPLACE INTO settings VALUES (1, ?, ?, ?, ?)", ...values);
    });
    this.#writtenSettings = JSON.stringify(values);
  }

  #write(statements: () => void): void {
    writeOrEnd(this.#context, () => this.#context.storage.transactionSync(statements));
  }
}
