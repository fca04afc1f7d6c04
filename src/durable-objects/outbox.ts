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
  readonly #events: Map<string, OutgoingEvent>;

  /**
   * The object's schema has the table `outbox`: `id` and `event`, both text. Where `isThere` is false it has
   * it before anything is left.
   */
  constructor(sql: SqlStorage, isThere = true) {
    this.#sql = sql;
    const all = "SELECT id, event FROM outbox";
    const rows = isThere ? sql.exec<{ id: string; event: string }>(all) : [];
    this.#events = new Map([...rows].map(({ id, event }) => [id, JSON.parse(event)]));
  }

  get isEmpty(): boolean {
    return this.#events.size === 0;
  }

  leave(event: OutgoingEvent): void {
    const leave = "INSERT OR IGNORE INTO outbox (id, event) VALUES (?, ?)";
    this.#sql.exec(leave, event.id, JSON.stringify(event));
    this.#events.set(event.id, event);
  }

  /** `personId` is null while nobody is known whose events they could be. */
  emitting(env: ObjectBindings, personId: () => string | null): Errand {
    return new Errand({
      what: "webhook_events",
      wantedAt: (now) => (personId() === null || this.isEmpty ? null : now),
      run: async () => {
        const whose = personId();
        if (whose === null) return;
        const events = [...this.#events.values()].slice(0, EVENTS_A_CALL);
        await webhooksOf(env, whose).emit(events);
        for (const { id } of events) {
          this.#sql.exec("DELETE FROM outbox WHERE id = ?", id);
          this.#events.delete(id);
        }
      },
    });
  }
}
