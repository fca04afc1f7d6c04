// Events that an object has yet to hand to its person's Webhooks object. Each is written in the same
// breath as what it tells of, with no await between, so that a crash leaves both or neither; and it is
// handed over again until that answered, so that none is lost.
import type { OutgoingEvent } from "../contract/outgoing-webhooks.ts";
import { Errand } from "./errand.ts";
import { type ObjectBindings, webhooksOf } from "./objects.ts";

/** Some kB each. */
const EVENTS_A_CALL = 100;

export class Outbox {
  readonly #sql: SqlStorage;

  /** The object's schema has the table `outbox`: `id` and `event`, both text. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get isEmpty(): boolean {
    return this.#next(1).length === 0;
  }

  leave(event: OutgoingEvent): void {
    const leave = "INSERT OR IGNORE INTO outbox (id, event) VALUES (?, ?)";
    this.#sql.exec(leave, event.id, JSON.stringify(event));
  }

  /** `personId` is null while nobody is known whose events they could be. */
  emitting(env: ObjectBindings, personId: () => string | null): Errand {
    return new Errand({
      what: "webhook_events",
      wantedAt: (now) => (personId() === null || this.isEmpty ? null : now),
      run: async () => {
        const whose = personId();
        const events = this.#next(EVENTS_A_CALL);
        if (whose === null) return;
        await webhooksOf(env, whose).emit(events);
        for (const { id } of events) this.#sql.exec("DELETE FROM outbox WHERE id = ?", id);
      },
    });
  }

  #next(most: number): OutgoingEvent[] {
    const rows = this.#sql.exec<{ event: string }>("SELECT event FROM outbox LIMIT ?", most);
    return rows.toArray().map(({ event }) => JSON.parse(event) as OutgoingEvent);
  }
}
