// The events that a person may be told of: what happened, with ids and figures to look it up by. No
// prompt, no completion, no key. The id is made of what happened, so that it is the same however often
// it is said. No I/O, no clock.
import type { GrantRecord, KeyRecord, TokenFigures } from "../contract/account.ts";
import type { JobRecord } from "../contract/jobs.ts";
import { withoutKeys } from "../contract/key-format.ts";
import { type EventType, type OutgoingEvent, TEST_EVENT } from "../contract/outgoing-webhooks.ts";

/** The body as it is signed and sent: always the same bytes for the same event. */
export function bodyOf({ type, at, data }: OutgoingEvent): string {
  return JSON.stringify({ type, timestamp: iso(at), data });
}

/** Of a Job that waits, or has ended; null of any other. */
export function jobEvent(record: JobRecord): OutgoingEvent | null {
  const { state, pause, endedAt } = record;
  const at = pause?.since ?? endedAt;
  if (at === null || state === "queued" || state === "running") return null;
  return event(`job.${state}`, record.id, at, {
    job: {
      ...{ id: record.id, name: withoutKeys(record.name), model: record.model, state },
      pause: pause === null ? null : { reason: pause.reason, since: iso(pause.since) },
      progress: record.counts,
      usage: {
        prompt_tokens: record.usage.promptTokens,
        completion_tokens: record.usage.completionTokens,
      },
      failure: record.failure,
      ...{ created_at: iso(record.createdAt), ended_at: isoOrNull(endedAt) },
    },
  });
}

export function keyRevokedEvent(key: KeyRecord, revokedAt: number): OutgoingEvent {
  const { id, start, name, revokedWhy } = key;
  return event("key.revoked", id, revokedAt, {
    key: { id, name: withoutKeys(name), start },
    reason: withoutKeys(revokedWhy ?? ""),
  });
}

export function tokensGrantedEvent(grant: GrantRecord, tokens: TokenFigures): OutgoingEvent {
  const { id, tokens: granted, note, at, expiresAt } = grant;
  return event("tokens.granted", id, at, {
    grant: { id, tokens: granted, note: withoutKeys(note), expires_at: isoOrNull(expiresAt) },
    tokens,
  });
}

/** `below`: the bound that was passed. */
export function tokensLowEvent(
  personId: string,
  tokens: TokenFigures,
  below: number,
  at: number,
): OutgoingEvent {
  return event("tokens.low", personId, at, { tokens, below });
}

export function testEvent(testId: string, at: number): OutgoingEvent {
  const data = { message: "This endpoint is reached." };
  return { id: `evt_webhook_test_${testId}`, type: TEST_EVENT, at, data };
}

function event(
  type: EventType,
  of: string,
  at: number,
  data: OutgoingEvent["data"],
): OutgoingEvent {
  return { id: `evt_${type.replace(".", "_")}_${of}_${at}`, type, at, data };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
