// A Job's rows. Read once when the object starts; after that memory is the truth, and where a write
// fails the object ends, and starts again from what is on disk.
import type { SliceSettlement } from "../../contract/account-slices.ts";
import {
  type Closing,
  type JobBook,
  type JobOnDisk,
  type JobOrigin,
  type JobProgress,
  noChanges,
  openJob,
  type Slice,
} from "../../core/job-state.ts";
import { migrate } from "../migrate.ts";
import { Outbox } from "../outbox.ts";
import { writeOrEnd } from "../write-or-end.ts";
import jobSql from "./0001-job.sql";
import outboxSql from "./0002-outbox.sql";

const MIGRATIONS = [jobSql, outboxSql];

/** As JSON these stay far below the 2 MB that a value may have. */
const SLICES_A_STATEMENT = 5_000;

interface SliceRow extends Record<string, SqlStorageValue> {
  first_item: number;
  items: number;
  offset: number;
  bytes: number;
  large: number;
  state: string;
  attempt: number;
  deaths: number;
  claimed_at: number;
  until: number;
  part_bytes: number | null;
  part_succeeded_bytes: number | null;
}

interface ClosingRow extends Record<string, SqlStorageValue> {
  first_item: number;
  attempts: number;
  settlement: string | null;
  forget_at: number;
}

interface ToldRow extends Record<string, SqlStorageValue> {
  listed_version: number;
  entered: number;
  removing: number;
  announced: string | null;
}

/** What others know of the Job. */
export interface Told {
  /** The record's version in the person's list. */
  listedVersion: number;
  /** The Dispatcher may count it among those that have something to do. */
  entered: boolean;
  removing: boolean;
  /** The id of the last event that was left in the outbox. */
  announced: string | null;
}

export class JobStorage {
  readonly outbox: Outbox;
  readonly #context: DurableObjectState;

  constructor(context: DurableObjectState) {
    this.#context = context;
    const isMade = this.#isMade;
    if (isMade) migrate(context.storage, MIGRATIONS);
    this.outbox = new Outbox(context.storage.sql, isMade);
  }

  get #sql(): SqlStorage {
    return this.#context.storage.sql;
  }

  /** An object that is asked for by an id of no Job has no schema: it would be kept for ever. */
  get #isMade(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'job'").toArray().length > 0;
  }

  /** Null before the Job was made, and once it was removed. */
  read(): JobBook | null {
    if (!this.#isMade) return null;
    const rows = this.#sql.exec<{ origin: string; progress: string }>("SELECT * FROM job");
    const row = rows.toArray()[0];
    if (row === undefined) return null;
    const slices = this.#sql.exec<SliceRow>("SELECT * FROM slices ORDER BY first_item");
    const closings = this.#sql.exec<ClosingRow>("SELECT * FROM closings ORDER BY first_item");
    return openJob({
      origin: JSON.parse(row.origin) as JobOrigin,
      progress: JSON.parse(row.progress) as JobProgress,
      slices: [...slices].map(sliceFromRow),
      closings: [...closings].map(closingFromRow),
    });
  }

  readTold(): Told {
    const rows = this.#isMade ? this.#sql.exec<ToldRow>("SELECT * FROM told").toArray() : [];
    const [row] = rows;
    if (row === undefined) {
      return { listedVersion: 0, entered: false, removing: false, announced: null };
    }
    const { listed_version: listedVersion, entered, removing, announced } = row;
    return { listedVersion, entered: entered === 1, removing: removing === 1, announced };
  }

  create(job: JobOnDisk): JobBook {
    const { origin, progress, slices } = job;
    migrate(this.#context.storage, MIGRATIONS);
    this.#write(() => {
      const values = [JSON.stringify(origin), JSON.stringify(progress)];
      this.#sql.exec("INSERT INTO job (one, origin, progress) VALUES (1, ?, ?)", ...values);
      // Fifty thousand statements would take seconds.
      for (let at = 0; at < slices.length; at += SLICES_A_STATEMENT) {
        const rows = slices.slice(at, at + SLICES_A_STATEMENT).map(sliceValues);
        this.#sql.exec(INSERT_SLICES, JSON.stringify(rows));
      }
    });
    return openJob(job);
  }

  /** Writes what has changed since the last time, in one transaction. */
  writeChanges(book: JobBook): void {
    const { progress, slices, closings, closed } = book.changes;
    if (!progress && slices.size + closings.size + closed.size === 0) return;
    this.#write(() => {
      if (progress) this.#sql.exec("UPDATE job SET progress = ?", JSON.stringify(book.progress));
      for (const slice of slices) this.#sql.exec(REPLACE_SLICE, ...sliceValues(slice));
      for (const { from, attempts, settlement, forgetAt } of closings) {
        const text = settlement === null ? null : JSON.stringify(settlement);
        this.#sql.exec(REPLACE_CLOSING, from, attempts, text, forgetAt);
      }
      for (const from of closed) this.#sql.exec("DELETE FROM closings WHERE first_item = ?", from);
    });
    book.changes = noChanges();
  }

  writeTold({ listedVersion, entered, removing, announced }: Told): void {
    const values = [listedVersion, entered ? 1 : 0, removing ? 1 : 0, announced];
    this.#write(() => {
      this.#sql.exec("INSERT OR REPLACE INTO told VALUES (1, ?, ?, ?, ?)", ...values);
    });
  }

  /** Until all that was written is on disk. */
  async durable(): Promise<void> {
    await this.#context.storage.sync();
  }

  /** Leaves an object like one that nobody ever called, its alarm gone too. */
  async forget(): Promise<void> {
    await this.#context.storage.deleteAll();
  }

  #write(statements: () => void): void {
    writeOrEnd(this.#context, () => this.#context.storage.transactionSync(statements));
  }
}

const COLUMNS = 12;
const REPLACE_SLICE = `INSERT OR REPLACE INTO slices VALUES (${Array(COLUMNS).fill("?").join(", ")})`;
const INSERT_SLICES = `INSERT INTO slices SELECT ${Array.from(
  { length: COLUMNS },
  (_, column) => `value ->> ${column}`,
).join(", ")} FROM json_each(?)`;
const REPLACE_CLOSING = "INSERT OR REPLACE INTO closings VALUES (?, ?, ?, ?)";

/** In the columns' order. */
function sliceValues(slice: Slice): (string | number | null)[] {
  const { from, items, offset, bytes, large, state, attempt, deaths, claimedAt, until } = slice;
  return [
    ...[from, items, offset, bytes, large ? 1 : 0, state, attempt, deaths, claimedAt, until],
    ...[slice.part?.bytes ?? null, slice.part?.succeededBytes ?? null],
  ];
}

function sliceFromRow(row: SliceRow): Slice {
  const { items, offset, bytes, attempt, deaths, until } = row;
  const { part_bytes: partBytes, part_succeeded_bytes: succeededBytes } = row;
  const isPart = partBytes !== null && succeededBytes !== null;
  return {
    ...{ from: row.first_item, items, offset, bytes, large: row.large === 1 },
    ...{ state: row.state as Slice["state"], attempt, deaths, claimedAt: row.claimed_at, until },
    part: isPart ? { bytes: partBytes, succeededBytes } : null,
  };
}

function closingFromRow({ first_item: from, attempts, settlement, ...row }: ClosingRow): Closing {
  const settled = settlement === null;
  return {
    ...{ from, attempts, forgetAt: row.forget_at },
    settlement: settled ? null : (JSON.parse(settlement) as SliceSettlement),
  };
}
