// Where one person is told of events, and each event on its way there. Nothing awaits between a decision
// and its writes. To each endpoint one delivery is sent at a time, beside those to the others: one that
// is down keeps none of them waiting.
import { DurableObject } from "cloudflare:workers";
import { parseConfiguration } from "../../contract/configuration.ts";
import type { Page } from "../../contract/directory.ts";
import {
  type AddressProblem,
  type Delivery,
  ENDPOINTS_MOST,
  type Endpoint,
  type EndpointAnswer,
  type EventType,
  type OutgoingEvent,
  type WebhooksRpc,
} from "../../contract/outgoing-webhooks.ts";
import { judgeAddress } from "../../core/outgoing-address.ts";
import { testEvent } from "../../core/outgoing-events.ts";
import { isGivenUp, judgeAttempt, stillFailing } from "../../core/outgoing-schedule.ts";
import { Errand } from "../errand.ts";
import { Errands } from "../errands.ts";
import { migrate } from "../migrate.ts";
import type { ObjectBindings } from "../objects.ts";
import webhooksSql from "./0001-webhooks.sql";
import silenceSql from "./0002-silence.sql";
import { DeliveryRows } from "./delivery-rows.ts";
import { EndpointRows, type Target } from "./endpoint-rows.ts";
import { notReached, send } from "./send.ts";

export class Webhooks extends DurableObject<ObjectBindings> implements WebhooksRpc {
  readonly #endpoints: EndpointRows;
  readonly #deliveries: DeliveryRows;
  readonly #errands: Errands;
  readonly #loopback: boolean;
  readonly #sql: SqlStorage;
  #silent: boolean;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    migrate(context.storage, [webhooksSql, silenceSql]);
    this.#sql = context.storage.sql;
    this.#silent = this.#sql.exec("SELECT one FROM silence").toArray().length > 0;
    this.#loopback = parseConfiguration(env).WEBHOOKS_TO_LOOPBACK;
    this.#endpoints = new EndpointRows(context.storage.sql);
    this.#deliveries = new DeliveryRows(context.storage.sql);
    const places = Array.from({ length: ENDPOINTS_MOST }, (_, place) => this.#sending(place));
    this.#errands = new Errands(context, [...places, this.#removal()]);
  }

  async emit(events: readonly OutgoingEvent[]): Promise<void> {
    const now = Date.now();
    const endpoints = this.#endpoints.all(now);
    for (const event of events) {
      const chosen = endpoints.filter((one) => one.events.some((type) => type === event.type));
      this.#deliveries.take(event, chosen, { now, silent: this.#silent });
    }
    this.#tend(now);
  }

  async setSilent(silent: boolean): Promise<void> {
    const change = silent
      ? "INSERT OR IGNORE INTO silence (one) VALUES (1)"
      : "DELETE FROM silence";
    this.#sql.exec(change);
    this.#silent = silent;
    const now = Date.now();
    if (silent) for (const { id } of this.#endpoints.all(now)) this.#deliveries.giveUp(id);
    this.#tend(now);
  }

  async endpoints(): Promise<Endpoint[]> {
    const now = Date.now();
    this.#tend(now);
    return this.#endpoints.all(now);
  }

  async add(asked: {
    id: string;
    url: string;
    events: readonly EventType[];
  }): Promise<EndpointAnswer> {
    const url = URL.parse(asked.url);
    if (url === null) return { ok: false, reason: "address", problem: "no_address" };
    const problem = this.#judge(url);
    if (problem !== null) return { ok: false, reason: "address", problem };
    url.hash = "";
    return this.#endpoints.add(asked.id, url.href, asked.events, Date.now());
  }

  async rotate(id: string, rotationId: string): Promise<EndpointAnswer> {
    return this.#endpoints.rotate(id, rotationId, Date.now());
  }

  async switchOn(id: string): Promise<EndpointAnswer> {
    this.#endpoints.switchOn(id);
    const endpoint = this.#endpoints.find(id, Date.now());
    if (endpoint === null) return { ok: false, reason: "unknown" };
    return { ok: true, endpoint, secret: null };
  }

  async remove(id: string): Promise<boolean> {
    this.#deliveries.removeOf(id);
    return this.#endpoints.remove(id);
  }

  async sendTest(id: string, testId: string): Promise<Delivery | null> {
    const now = Date.now();
    const endpoint = this.#endpoints.find(id, now);
    if (endpoint === null) return null;
    const event = testEvent(testId, now);
    this.#deliveries.take(event, [endpoint], { now, silent: this.#silent });
    this.#tend(now);
    return this.#deliveries.ofEvent(event.id);
  }

  async deliveries(page: { after: string | null; limit: number }): Promise<Page<Delivery>> {
    this.#tend(Date.now());
    return this.#deliveries.page(page);
  }

  async delivery(id: string): Promise<{ delivery: Delivery; body: string } | null> {
    this.#tend(Date.now());
    return this.#deliveries.find(Number(id));
  }

  async replay(id: string): Promise<Delivery | null> {
    const now = Date.now();
    const found = this.#deliveries.find(Number(id));
    const endpoint = found && this.#endpoints.find(found.delivery.endpoint.id, now);
    if (!endpoint || endpoint.off !== null || this.#silent) return null;
    this.#deliveries.sendAgain(Number(id), now);
    this.#tend(now);
    return this.#deliveries.find(Number(id))?.delivery ?? null;
  }

  override async alarm(): Promise<void> {
    this.#errands.alarmCame();
    this.#tend(Date.now());
  }

  #tend(now: number): void {
    this.#errands.tend(now, () => null);
  }

  /** Sends what is due to the endpoint in this place, one delivery a run. */
  #sending(place: number): Errand {
    return new Errand({
      what: "webhook_delivery",
      wantedAt: (now) => {
        const target = this.#targetAt(place, now);
        return target === null ? null : this.#deliveries.nextAt(target.id);
      },
      run: async () => {
        const now = Date.now();
        const target = this.#targetAt(place, now);
        const due = target === null ? null : this.#deliveries.due(target.id, now);
        if (target === null || due === null) return;
        const message = { id: due.eventId, body: due.body };
        // What was allowed when it was added may be so no more.
        const isAllowed = this.#judge(new URL(target.url)) === null;
        const attempt = isAllowed
          ? await send(target.url, target.secrets, message)
          : notReached(now);
        const verdict = judgeAttempt(attempt);
        this.#deliveries.noteAttempt(due.seq, attempt, verdict === "delivered");
        // The person was disabled while the attempt was out.
        if (this.#silent) this.#deliveries.giveUp(target.id);
        if (verdict !== "delivered") this.#noteFailure(target.id, place, verdict === "gone");
        else if (target.failing !== null) this.#endpoints.noteFailing(target.id, null);
      },
    });
  }

  /** What may be sent to now. */
  #targetAt(place: number, now: number): Target | null {
    return this.#silent ? null : this.#endpoints.targetAt(place, now);
  }

  #judge(url: URL): AddressProblem | null {
    return judgeAddress(url, { loopback: this.#loopback });
  }

  /** It may have been switched on, or off, while the attempt was out. */
  #noteFailure(endpointId: string, place: number, isGone: boolean): void {
    const now = Date.now();
    const target = this.#targetAt(place, now);
    if (target?.id !== endpointId) return;
    const failing = stillFailing(target.failing, now);
    this.#endpoints.noteFailing(endpointId, failing);
    if (!isGone && !isGivenUp(failing)) return;
    this.#endpoints.switchOff(endpointId, isGone ? "gone" : "failing", now);
    this.#deliveries.giveUp(endpointId);
  }

  #removal(): Errand {
    return new Errand({
      what: "webhook_removal",
      wantedAt: () => this.#deliveries.nextRemoval(),
      run: async () => this.#deliveries.removeOld(Date.now()),
    });
  }
}
