// A Dispatcher's rows. Read once when the object starts; after that memory is the truth.

import { TICKET_LEASE_MS } from "../../contract/job-limits.ts";
import type { ModelWait } from "../../contract/jobs.ts";
import { type Dispatch, emptyDispatch, enterJob, type Ticket } from "../../core/dispatch.ts";
import { migrate } from "../migrate.ts";
import dispatcherSql from "./0001-dispatcher.sql";

/** After a start a message that is on its way has so long; in local workerd it is lost. */
const BEGIN_AFTER_START_MS = 5_000;

export class DispatcherStorage {
  readonly #sql: SqlStorage;

  constructor({ storage }: DurableObjectState) {
    this.#sql = storage.sql;
    migrate(storage, [dispatcherSql]);
  }

  /** `told`: what each Job was last told that it waits for. */
  read(now: number): { dispatch: Dispatch; told: Map<string, ModelWait | null> } {
    const dispatch = emptyDispatch();
    const told = new Map<string, ModelWait | null>();
    const jobs = this.#sql.exec<{ job_id: string; person_id: string; told: ModelWait | null }>(
      "SELECT job_id, person_id, told FROM jobs",
    );
    for (const row of jobs) {
      enterJob(dispatch, row.job_id, row.person_id);
      told.set(row.job_id, row.told);
    }
    const tickets = this.#sql.exec<{
      id: string;
      job_id: string;
      person_id: string;
      begun_at: number;
    }>("SELECT id, job_id, person_id, begun_at FROM tickets");
    for (const { id, job_id: jobId, person_id: personId, begun_at: begunAt } of tickets) {
      const begun = begunAt > 0;
      const until = now + (begun ? TICKET_LEASE_MS : BEGIN_AFTER_START_MS);
      dispatch.tickets.set(id, { id, jobId, personId, begun, givesWay: false, until, begunAt });
    }
    return { dispatch, told };
  }

  writeJob(jobId: string, personId: string, told: ModelWait | null): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO jobs (job_id, person_id, told) VALUES (?, ?, ?)",
      jobId,
      personId,
      told,
    );
  }

  dropJob(jobId: string): void {
    this.#sql.exec("DELETE FROM jobs WHERE job_id = ?", jobId);
  }

  writeTicket({ id, jobId, personId, begunAt }: Ticket): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO tickets (id, job_id, person_id, begun_at) VALUES (?, ?, ?, ?)",
      id,
      jobId,
      personId,
      begunAt,
    );
  }

  dropTicket(id: string): void {
    this.#sql.exec("DELETE FROM tickets WHERE id = ?", id);
  }
}
