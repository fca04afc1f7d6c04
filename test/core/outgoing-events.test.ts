// What a person is told of: the same bytes under the same id however often, and nothing that is secret.
import { describe, expect, test } from "vitest";
import type { GrantRecord, KeyRecord } from "../../src/contract/account.ts";
import type { JobRecord } from "../../src/contract/jobs.ts";
import {
  bodyOf,
  jobEvent,
  keyRevokedEvent,
  testEvent,
  tokensGrantedEvent,
  tokensLowEvent,
} from "../../src/core/outgoing-events.ts";

const NOON = Date.UTC(2026, 10, 29, 12);
const leaked = `ctn_${"0".repeat(16)}_${"1".repeat(40)}`;

function job(rest: Partial<JobRecord>): JobRecord {
  return {
    ...{ id: "job_1", personId: "ada", keyId: "key", name: "sweep", model: "local" },
    ...{ state: "running", pause: null, counts: { total: 3, succeeded: 2, failed: 1 } },
    ...{ usage: { promptTokens: 5, completionTokens: 7 }, etaSeconds: null, createdAt: NOON },
    ...{ startedAt: NOON, cancelledAt: null, endedAt: null, removedAt: null, failure: null },
    ...{ errors: [{ code: "x", message: "a prompt", count: 1, customId: "a prompt" }] },
    ...{ batch: null, version: 1, ...rest },
  };
}

const key: KeyRecord = {
  ...{ id: "key_1", name: "laptop", start: "ctn_0", scope: "completions", createdAt: NOON },
  ...{ expiresAt: null, monthlyTokenLimit: null, lastUsedAt: null, revokedAt: NOON },
  revokedWhy: `leaked: ${leaked}`,
};

const grant: GrantRecord = {
  ...{ id: "grant_1", tokens: 100, note: "for the sweep", at: NOON, expiresAt: NOON + 1 },
  ...{ used: 0, lapsed: 0 },
};
const tokens = { granted: 100, spent: 95, held: 0, available: 5 };

describe("a Job", () => {
  test.each(["completed", "failed", "cancelled"] as const)("that is %s is told of", (state) => {
    const event = jobEvent(job({ state, endedAt: NOON + 1_000 }));
    expect(event).toMatchObject({ type: `job.${state}`, at: NOON + 1_000 });
    expect(event?.data).toMatchObject({
      job: {
        ...{ id: "job_1", name: "sweep", model: "local", state, failure: null },
        progress: { total: 3, succeeded: 2, failed: 1 },
        usage: { prompt_tokens: 5, completion_tokens: 7 },
        ...{ created_at: "2026-11-29T12:00:00.000Z", ended_at: "2026-11-29T12:00:01.000Z" },
      },
    });
    expect(JSON.stringify(event)).not.toContain("a prompt");
  });

  test("that is paused is told of with its reason, once for each pause", () => {
    const paused = (since: number) =>
      job({ state: "paused", pause: { reason: "spend_cap", since, budget: null, scope: null } });
    const event = jobEvent(paused(NOON));
    expect(event).toMatchObject({
      type: "job.paused",
      data: { job: { pause: { reason: "spend_cap" } } },
    });
    expect(jobEvent(paused(NOON))).toEqual(event);
    expect(jobEvent(paused(NOON + 1))?.id).not.toBe(event?.id);
  });

  test.each(["queued", "running"] as const)("that is %s is nothing to tell of", (state) => {
    expect(jobEvent(job({ state }))).toBeNull();
  });
});

describe("what is signed and sent", () => {
  test("has type, time and data, as Standard Webhooks have them", () => {
    expect(JSON.parse(bodyOf(tokensLowEvent("ada", tokens, 10, NOON)))).toEqual({
      type: "tokens.low",
      timestamp: "2026-11-29T12:00:00.000Z",
      data: { tokens, below: 10 },
    });
  });

  test("names a key by id, name and start, and quotes none", () => {
    const body = bodyOf(keyRevokedEvent(key, NOON));
    expect(JSON.parse(body).data).toEqual({
      key: { id: "key_1", name: "laptop", start: "ctn_0" },
      reason: "leaked: ctn_…",
    });
    expect(body).not.toContain(leaked);
    const named = keyRevokedEvent({ ...key, name: leaked }, NOON);
    const noted = tokensGrantedEvent({ ...grant, note: leaked }, tokens);
    const called = jobEvent(job({ name: leaked, state: "failed", endedAt: NOON }));
    expect(JSON.stringify([named, noted, called])).not.toContain(leaked);
  });

  test("says of a Grant what it gives and what there is now", () => {
    expect(tokensGrantedEvent(grant, tokens).data).toEqual({
      grant: {
        ...{ id: "grant_1", tokens: 100, note: "for the sweep" },
        expires_at: "2026-11-29T12:00:00.001Z",
      },
      tokens,
    });
  });

  test("has ids without a full stop, one for each event", () => {
    const events = [
      keyRevokedEvent(key, NOON),
      tokensGrantedEvent(grant, tokens),
      tokensLowEvent("ada", tokens, 10, NOON),
      testEvent("x", NOON),
      jobEvent(job({ state: "completed", endedAt: NOON })),
    ];
    const ids = events.map((event) => event?.id ?? "");
    expect(new Set(ids).size).toBe(events.length);
    for (const id of ids) expect(id).toMatch(/^evt_[a-z0-9_]+$/);
  });

  test("of a test is one event however late it is asked for again", () => {
    expect(testEvent("x", NOON + 1).id).toBe(testEvent("x", NOON).id);
  });
});
