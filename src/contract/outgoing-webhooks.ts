// What a person is told of by webhook, and what the Worker and the objects say to the one that sends: as
// Standard Webhooks have it, https://github.com/standard-webhooks/standard-webhooks. An endpoint is an
// address of the person's; a delivery is one event on its way to one endpoint. Times are milliseconds
// since 1970 (UTC).
import type { Page } from "./directory.ts";

/** What an endpoint may choose, in the order in which pages have them. */
export const eventTypes = [
  "job.completed",
  "job.failed",
  "job.cancelled",
  "job.paused",
  "key.revoked",
  "tokens.granted",
  "tokens.low",
] as const;

export type EventType = (typeof eventTypes)[number];

/** Sent to one endpoint alone, when its person asks for it. */
export const TEST_EVENT = "webhook.test";

export interface OutgoingEvent {
  /** The `webhook-id`: the same however often it is emitted or sent. Without a full stop, as signed. */
  id: string;
  type: EventType | typeof TEST_EVENT;
  at: number;
  /** Never a prompt, a completion or a key. */
  data: Record<string, unknown>;
}

/** Each one is sent to on its own, beside the others, and a request of ours has six connections. */
export const ENDPOINTS_MOST = 5;

/** Longer ones are no addresses but contents. */
export const ENDPOINT_URL_MAX_CHARACTERS = 2_000;

/** What waits for one endpoint; beyond it events are listed and not sent. Weeks of a busy person's Jobs. */
export const DELIVERIES_WAITING_MOST = 1_000;

/** What is kept of one person, some kB each; the oldest that wait for nothing go first. */
export const DELIVERIES_KEPT_MOST = 5_000;

/** Events and their deliveries; so long one can be sent again. */
export const DELIVERIES_KEPT_DAYS = 30;

/** Of one delivery: all of a whole schedule, and as many by hand. */
export const ATTEMPTS_KEPT_MOST = 20;

/** A receiver does its work after it has answered; Standard Webhooks name 15 to 30 s. */
export const DELIVERY_TIMEOUT_MS = 15_000;

/** An endpoint whose every attempt fails for so long is switched off. */
export const ENDPOINT_FAILING_DAYS = 5;

/** With no attempt for so long, failing begins anew: two bad hours a month apart are no bad month. */
export const FAILING_GAP_HOURS = 48;

/** So long after it was replaced, a secret still signs beside the new one. */
export const OLD_SECRET_SIGNS_HOURS = 24;

/** Below this share of what was available after the last Grant, tokens are low. */
export const TOKENS_LOW_PERCENT = 10;

export interface Endpoint {
  id: string;
  url: string;
  events: EventType[];
  createdAt: number;
  /** Since when every attempt failed; null while the last one succeeded, or there was none. */
  failingSince: number | null;
  /** Sent to no more: it failed for days, or answered that it is gone for good. */
  off: { at: number; why: "failing" | "gone" } | null;
  /** Until when the secret before signs too; null when there is none. */
  oldSecretUntil: number | null;
}

export interface DeliveryAttempt {
  at: number;
  durationMs: number;
  /** Of the answer, whose body is not read; null where none came. */
  status: number | null;
  /** Why none came. */
  problem: "timeout" | "unreachable" | null;
}

export interface Delivery {
  id: string;
  event: Pick<OutgoingEvent, "id" | "type" | "at">;
  endpoint: Pick<Endpoint, "id" | "url">;
  /** `unsent`: it came while the endpoint was off or its person disabled, or too many waited. */
  state: "waiting" | "delivered" | "failed" | "unsent";
  /** The last ones, oldest first. */
  attempts: DeliveryAttempt[];
  /** Of the next attempt, while it waits. */
  nextAt: number | null;
}

/** Why an address can be no endpoint. */
export type AddressProblem =
  | "no_address"
  | "no_https"
  | "credentials"
  | "private"
  | "no_public_name";

export type EndpointAnswer =
  /** `secret` is null for a late repeat: it was shown once. */
  | { ok: true; endpoint: Endpoint; secret: string | null }
  | { ok: false; reason: "address"; problem: AddressProblem }
  | { ok: false; reason: "too_many" | "conflict" | "unknown" };

/** One object a person. Each call is repeatable. */
export interface WebhooksRpc {
  /** Whoever emits keeps an event until this has answered; what came before is not sent again. */
  emit(events: readonly OutgoingEvent[]): Promise<void>;
  /**
   * Of a disabled person nothing is sent: what waits is given up, and what comes is listed as not sent.
   * Once they are enabled, what comes from then on is sent again.
   */
  setSilent(silent: boolean): Promise<void>;

  endpoints(): Promise<Endpoint[]>;
  /** `id` makes it repeatable; the same with another content is a conflict. */
  add(endpoint: { id: string; url: string; events: readonly EventType[] }): Promise<EndpointAnswer>;
  /** A new secret; the one before signs for OLD_SECRET_SIGNS_HOURS more. `rotationId` makes it one. */
  rotate(id: string, rotationId: string): Promise<EndpointAnswer>;
  /** From now on events are sent to it again. */
  switchOn(id: string): Promise<EndpointAnswer>;
  /** Its deliveries go with it. */
  remove(id: string): Promise<boolean>;
  /** Sends an event of no meaning; null where there is no such endpoint. `testId` makes it one. */
  sendTest(id: string, testId: string): Promise<Delivery | null>;

  /** Newest first; `after` is that of a page's `next`. */
  deliveries(page: { after: string | null; limit: number }): Promise<Page<Delivery>>;
  delivery(id: string): Promise<{ delivery: Delivery; body: string } | null>;
  /** Sends it again under the same id, now; null where there is none, or its endpoint is off. */
  replay(id: string): Promise<Delivery | null>;
}
