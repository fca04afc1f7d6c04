// One person's Webhooks object under a clock that only the test moves, and receivers on loopback that
// answer as they are told and verify what comes.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { inject, vi } from "vitest";
import type {
  Delivery,
  EventType,
  OutgoingEvent,
  WebhooksRpc,
} from "../../src/contract/outgoing-webhooks.ts";
import { webhooksOf } from "../../src/durable-objects/objects.ts";
import type { WireRequest, WireScript } from "../upstream/wire-script.ts";
import { until } from "./job-under-test.ts";

declare module "vitest" {
  interface ProvidedContext {
    upstreamUrl: string;
  }
}

export const NOON = Date.UTC(2100, 2, 15, 12);

export function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
}

/** A part of the scripted server, which is somebody's endpoint. */
export class Receiver {
  readonly url = `${inject("upstreamUrl")}/${crypto.randomUUID()}`;

  /** 200 unless it was told otherwise. */
  async answers(status: number, rest: Partial<WireScript> = {}): Promise<void> {
    await this.#control("script", { status, steps: [], ...rest });
  }

  async open(gate: string): Promise<void> {
    await this.#control(`open/${gate}`);
  }

  async seen(): Promise<WireRequest[]> {
    return (await this.#control("seen")) as WireRequest[];
  }

  /** Waits until so many requests have come. */
  async reached(count: number): Promise<WireRequest[]> {
    let seen: WireRequest[] = [];
    await until(async () => {
      seen = await this.seen();
      if (seen.length < count) throw new Error(`only ${seen.length} of ${count} have come`);
    });
    return seen;
  }

  async #control(verb: string, body: object = {}): Promise<unknown> {
    const control = { method: "POST", body: JSON.stringify(body) };
    return await (await fetch(`${this.url}/test/${verb}`, control)).json();
  }
}

/** What was signed, if one of the secrets signed it; throws where none did. */
export function verified(secret: string, { headers, body }: WireRequest): unknown {
  return new Webhook(secret).verify(body, headers);
}

export class WebhooksUnderTest {
  readonly personId = crypto.randomUUID();

  get stub(): DurableObjectStub {
    return env.WEBHOOKS.getByName(this.personId);
  }

  get rpc(): WebhooksRpc {
    return webhooksOf(env, this.personId);
  }

  async add(
    receiver: Receiver,
    events: readonly EventType[] = ["job.completed"],
  ): Promise<{ id: string; secret: string }> {
    const added = await this.rpc.add({ id: crypto.randomUUID(), url: receiver.url, events });
    if (!added.ok || added.secret === null) throw new Error(JSON.stringify(added));
    return { id: added.endpoint.id, secret: added.secret };
  }

  /** Of one endpoint, once it is so. */
  async delivery(is: (delivery: Delivery) => boolean): Promise<Delivery> {
    let found: Delivery | undefined;
    await until(async () => {
      const { rows } = await this.rpc.deliveries({ after: null, limit: 50 });
      found = rows.find(is);
      if (found === undefined) throw new Error(JSON.stringify(rows));
    });
    if (found === undefined) throw new Error("there is none");
    return found;
  }

  /** The clock goes on to when the next attempt is due, and the alarm comes. */
  async pass(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    await runDurableObjectAlarm(this.stub);
  }

  async alarmAt(): Promise<number | null> {
    return await runInDurableObject(this.stub, (_, { storage }) => storage.getAlarm());
  }

  async evict(): Promise<void> {
    await evictDurableObject(this.stub);
  }
}

let made = 0;

export function newEvent(type: EventType = "job.completed"): OutgoingEvent {
  made += 1;
  return { id: `evt_${made}`, type, at: NOON, data: { number: made } };
}
