// Deliveries to endpoints that answer, fail, hang, lead elsewhere or are gone.
import { runInDurableObject } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  DELIVERIES_KEPT_DAYS,
  DELIVERIES_WAITING_MOST,
  DELIVERY_TIMEOUT_MS,
  ENDPOINTS_MOST,
} from "../../src/contract/outgoing-webhooks.ts";
import { RETRIES_AFTER_MS } from "../../src/core/outgoing-schedule.ts";
import { until } from "./job-under-test.ts";
import {
  NOON,
  newEvent,
  Receiver,
  stopTheClock,
  verified,
  WebhooksUnderTest,
} from "./webhooks-under-test.ts";

const DAY_MS = 86_400_000;

let webhooks: WebhooksUnderTest;
let receiver: Receiver;

beforeEach(() => {
  stopTheClock();
  webhooks = new WebhooksUnderTest();
  receiver = new Receiver();
});
afterEach(() => void vi.useRealTimers());

const tried = (times: number) => (one: { attempts: unknown[] }) => one.attempts.length === times;

describe("an event", () => {
  test("reaches each endpoint that chose it, signed with that one's secret, and no other", async () => {
    const other = new Receiver();
    const { secret } = await webhooks.add(receiver, ["job.completed", "key.revoked"]);
    await webhooks.add(other, ["tokens.low"]);
    const event = newEvent();
    await webhooks.rpc.emit([event]);
    const [request] = await receiver.reached(1);
    if (request === undefined) throw new Error("nothing has come");
    expect(verified(secret, request)).toEqual({
      type: "job.completed",
      timestamp: "2100-03-15T12:00:00.000Z",
      data: event.data,
    });
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": event.id,
      "webhook-timestamp": String(NOON / 1_000),
    });
    const forged = `whsec_${btoa("another secret, as long as one")}`;
    expect(() => verified(forged, request)).toThrow("No matching signature");
    await webhooks.delivery(({ state }) => state === "delivered");
    expect(await other.seen()).toEqual([]);
  });

  test("that is emitted again, later and together with another, is not sent again", async () => {
    await webhooks.add(receiver);
    const [event, another] = [newEvent(), newEvent()];
    await webhooks.rpc.emit([event]);
    await webhooks.delivery(({ state }) => state === "delivered");
    await webhooks.evict();
    await webhooks.rpc.emit([event, another]);
    const seen = await receiver.reached(2);
    await webhooks.delivery(
      ({ event: { id }, state }) => id === another.id && state === "delivered",
    );
    expect(seen.map(({ headers }) => headers["webhook-id"])).toEqual([event.id, another.id]);
    expect((await webhooks.rpc.deliveries({ after: null, limit: 9 })).rows).toHaveLength(2);
  });

  test("without an endpoint that chose it leaves nothing behind", async () => {
    await webhooks.add(receiver, ["tokens.low"]);
    await webhooks.rpc.emit([newEvent()]);
    const left = await runInDurableObject(webhooks.stub, (_, { storage }) =>
      storage.sql.exec("SELECT count(*) AS events FROM events").one(),
    );
    expect(left).toEqual({ events: 0 });
  });
});

describe("a delivery that fails", () => {
  test("is tried again on the schedule, under the same id, and given up at its end", async () => {
    await receiver.answers(503);
    const { secret } = await webhooks.add(receiver);
    const event = newEvent();
    await webhooks.rpc.emit([event]);
    for (const [index, wait] of RETRIES_AFTER_MS.entries()) {
      const delivery = await webhooks.delivery(tried(index + 1));
      expect(delivery).toMatchObject({ state: "waiting", nextAt: Date.now() + wait });
      await until(async () =>
        expect(await webhooks.alarmAt()).toBeLessThanOrEqual(Date.now() + wait),
      );
      await webhooks.evict();
      await webhooks.pass(wait);
    }
    const given = await webhooks.delivery(({ state }) => state === "failed");
    expect(given).toMatchObject({ nextAt: null });
    expect(given.attempts.map(({ status }) => status)).toEqual(Array(10).fill(503));
    const seen = await receiver.seen();
    expect(new Set(seen.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([event.id]));
    const [last] = seen.slice(-1);
    if (last === undefined) throw new Error("nothing has come");
    expect(verified(secret, last)).toMatchObject({ type: "job.completed" });
    expect(await webhooks.rpc.endpoints()).toMatchObject([{ failingSince: NOON, off: null }]);
  });

  test("is delivered when the receiver is there again, which then counts as well", async () => {
    await receiver.answers(500);
    await webhooks.add(receiver);
    await webhooks.rpc.emit([newEvent()]);
    await webhooks.delivery(tried(1));
    await receiver.answers(200);
    await webhooks.pass(RETRIES_AFTER_MS[0] ?? 0);
    const delivered = await webhooks.delivery(({ state }) => state === "delivered");
    expect(delivered.attempts.map(({ status }) => status)).toEqual([500, 200]);
    expect(await webhooks.rpc.endpoints()).toMatchObject([{ failingSince: null }]);
  });

  test("has failed where the answer leads elsewhere, and nobody goes there", async () => {
    const elsewhere = new Receiver();
    await receiver.answers(307, { headers: { location: elsewhere.url } });
    await webhooks.add(receiver);
    await webhooks.rpc.emit([newEvent()]);
    const delivery = await webhooks.delivery(tried(1));
    expect(delivery).toMatchObject({
      state: "waiting",
      attempts: [{ status: 307, problem: null }],
    });
    expect(await elsewhere.seen()).toEqual([]);
  });

  test("has failed where no answer comes in time", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: NOON });
    const sleep = (ms: number) =>
      runInDurableObject(webhooks.stub, async () => void (await vi.advanceTimersByTimeAsync(ms)));
    await receiver.answers(204, { holdHeaders: "headers" });
    await webhooks.add(receiver);
    await webhooks.rpc.emit([newEvent()]);
    while ((await receiver.seen()).length === 0);
    await sleep(DELIVERY_TIMEOUT_MS - 1);
    const before = await webhooks.rpc.deliveries({ after: null, limit: 9 });
    expect(before.rows).toMatchObject([{ attempts: [] }]);
    await sleep(1);
    const attempts = async () => (await webhooks.rpc.deliveries({ after: null, limit: 9 })).rows;
    await expect
      .poll(attempts)
      .toMatchObject([
        { attempts: [{ status: null, problem: "timeout", durationMs: DELIVERY_TIMEOUT_MS }] },
      ]);
    await receiver.open("headers");
  });

  test("has failed where nobody answers", async () => {
    const nobody = "http://127.0.0.1:9/";
    await webhooks.rpc.add({ id: "nobody", url: nobody, events: ["job.completed"] });
    await webhooks.rpc.emit([newEvent()]);
    const delivery = await webhooks.delivery(tried(1));
    expect(delivery.attempts).toMatchObject([{ status: null, problem: "unreachable" }]);
  });

  test("has failed, and asked nobody, where the address is none that may be sent to any more", async () => {
    await webhooks.add(receiver);
    await runInDurableObject(webhooks.stub, (_, { storage }) => {
      // Leads to the receiver all the same.
      storage.sql.exec("UPDATE endpoints SET url = replace(url, '127.0.0.1', '0.0.0.0')");
    });
    await webhooks.rpc.emit([newEvent()]);
    const delivery = await webhooks.delivery(tried(1));
    const attempt = { status: null, problem: "unreachable", durationMs: 0 };
    expect(delivery).toMatchObject({ state: "waiting", attempts: [attempt] });
    expect(await receiver.seen()).toEqual([]);
  });

  test("keeps no other endpoint waiting while it hangs", async () => {
    const other = new Receiver();
    await receiver.answers(204, { holdHeaders: "headers" });
    await webhooks.add(receiver);
    await webhooks.add(other);
    await webhooks.rpc.emit([newEvent(), newEvent()]);
    await other.reached(2);
    expect(await receiver.seen()).toHaveLength(1);
    await receiver.open("headers");
    await receiver.reached(2);
  });

  test("whose object is gone in the middle of it is sent again, under the same id", async () => {
    await receiver.answers(204, { holdHeaders: "headers" });
    await webhooks.add(receiver);
    const event = newEvent();
    await webhooks.rpc.emit([event]);
    await receiver.reached(1);
    await runInDurableObject(webhooks.stub, (_, context) => context.abort("killed")).catch(
      () => undefined,
    );
    await receiver.open("headers");
    await webhooks.rpc.endpoints();
    const seen = await receiver.reached(2);
    expect(seen.map(({ headers }) => headers["webhook-id"])).toEqual([event.id, event.id]);
    await webhooks.delivery(({ state }) => state === "delivered");
  });
});

describe("an endpoint", () => {
  /** Fails once a day until it is switched off, at most for so many days. */
  async function failUntilOff(days: number): Promise<void> {
    await receiver.answers(500);
    for (let day = 0; day < days; day += 1) {
      const event = newEvent();
      await webhooks.rpc.emit([event]);
      const { state } = await webhooks.delivery(
        (one) => one.event.id === event.id && (one.attempts.length > 0 || one.state === "unsent"),
      );
      if (state === "unsent") return;
      await webhooks.pass(DAY_MS);
    }
    throw new Error("it was not switched off");
  }

  test("that fails for five days is switched off: what waits is tried no more, what comes is kept", async () => {
    const { id } = await webhooks.add(receiver);
    await failUntilOff(7);
    expect(await webhooks.rpc.endpoints()).toMatchObject([
      { off: { at: NOON + 5 * DAY_MS, why: "failing" }, failingSince: NOON },
    ]);
    const event = newEvent();
    await webhooks.rpc.emit([event]);
    const { rows } = await webhooks.rpc.deliveries({ after: null, limit: 50 });
    expect(rows.every(({ nextAt }) => nextAt === null)).toBe(true);
    expect(rows[0]).toMatchObject({ event: { id: event.id }, state: "unsent", attempts: [] });
    expect(await webhooks.rpc.replay(rows[0]?.id ?? "")).toBeNull();
    await receiver.answers(204);
    expect(await webhooks.rpc.switchOn(id)).toMatchObject({ ok: true, endpoint: { off: null } });
    expect(await webhooks.rpc.replay(rows[0]?.id ?? "")).toMatchObject({ state: "waiting" });
    await webhooks.delivery((one) => one.event.id === event.id && one.state === "delivered");
    expect(await webhooks.rpc.endpoints()).toMatchObject([{ failingSince: null }]);
  });

  test("that says it is gone is switched off at once", async () => {
    await receiver.answers(410);
    await webhooks.add(receiver);
    await webhooks.rpc.emit([newEvent()]);
    await webhooks.delivery(({ state }) => state === "failed");
    expect(await webhooks.rpc.endpoints()).toMatchObject([{ off: { at: NOON, why: "gone" } }]);
  });

  test("whose secret is replaced is sent both signatures for a day, then the new one alone", async () => {
    const { id, secret: old } = await webhooks.add(receiver);
    const rotated = await webhooks.rpc.rotate(id, "one");
    if (!rotated.ok || rotated.secret === null) throw new Error("there is no new secret");
    expect(rotated.endpoint.oldSecretUntil).toBe(NOON + DAY_MS);
    await webhooks.rpc.emit([newEvent()]);
    const [both] = await receiver.reached(1);
    if (both === undefined) throw new Error("nothing has come");
    expect(verified(old, both)).toEqual(verified(rotated.secret, both));
    expect(both.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    vi.setSystemTime(NOON + DAY_MS);
    await webhooks.rpc.emit([newEvent()]);
    const [, one] = await receiver.reached(2);
    if (one === undefined) throw new Error("nothing has come");
    expect(verified(rotated.secret, one)).toMatchObject({ type: "job.completed" });
    expect(() => verified(old, one)).toThrow("No matching signature");
    expect(await webhooks.rpc.endpoints()).toMatchObject([{ oldSecretUntil: null }]);
  });

  test("has one new secret for one form, shown again for some seconds and never after", async () => {
    const { id } = await webhooks.add(receiver);
    const first = await webhooks.rpc.rotate(id, "one");
    expect(await webhooks.rpc.rotate(id, "one")).toEqual(first);
    vi.setSystemTime(NOON + 10_000);
    expect(await webhooks.rpc.rotate(id, "one")).toMatchObject({ ok: true, secret: null });
    expect(await webhooks.rpc.rotate("nothing", "one")).toEqual({ ok: false, reason: "unknown" });
  });

  test("is one for one form, whose secret is shown again for some seconds and never after", async () => {
    const asked = { id: "one", url: receiver.url, events: ["tokens.low"] as const };
    const first = await webhooks.rpc.add(asked);
    expect(first).toMatchObject({ ok: true, secret: expect.stringMatching(/^whsec_.{44}$/) });
    expect(await webhooks.rpc.add(asked)).toEqual(first);
    const other = { ...asked, events: ["key.revoked"] as const };
    expect(await webhooks.rpc.add(other)).toEqual({ ok: false, reason: "conflict" });
    vi.setSystemTime(NOON + 10_000);
    expect(await webhooks.rpc.add(asked)).toMatchObject({ ok: true, secret: null });
    expect(await webhooks.rpc.endpoints()).toHaveLength(1);
  });

  test("takes its deliveries with it, and its place is free for another", async () => {
    const ids: string[] = [];
    for (let place = 0; place < ENDPOINTS_MOST; place += 1) {
      ids.push((await webhooks.add(receiver)).id);
    }
    const more = { id: "more", url: receiver.url, events: ["job.completed"] as const };
    expect(await webhooks.rpc.add(more)).toEqual({ ok: false, reason: "too_many" });
    await webhooks.rpc.emit([newEvent()]);
    await receiver.reached(ENDPOINTS_MOST);
    expect(await webhooks.rpc.remove(ids[2] ?? "")).toBe(true);
    expect(await webhooks.rpc.remove(ids[2] ?? "")).toBe(false);
    const { rows } = await webhooks.rpc.deliveries({ after: null, limit: 50 });
    expect(rows.map(({ endpoint }) => endpoint.id)).not.toContain(ids[2]);
    expect(rows).toHaveLength(ENDPOINTS_MOST - 1);
    expect(await webhooks.rpc.add(more)).toMatchObject({ ok: true });
  });

  test.each([
    ["not an address", "no_address"],
    ["https://10.0.0.1/", "private"],
    ["https://u:p@example.com/", "credentials"],
    ["http://example.com/", "no_https"],
    ["https://db.internal/", "no_public_name"],
  ])("is not to be at %s", async (url, problem) => {
    const answer = await webhooks.rpc.add({ id: "one", url, events: ["job.completed"] });
    expect(answer).toEqual({ ok: false, reason: "address", problem });
  });
});

describe("a disabled person", () => {
  test("is sent nothing: what waits is given up, what comes is listed, and what comes after is sent", async () => {
    await receiver.answers(503);
    await webhooks.add(receiver);
    await webhooks.rpc.emit([newEvent()]);
    await webhooks.delivery(tried(1));
    await webhooks.rpc.setSilent(true);
    await webhooks.evict();
    await webhooks.rpc.emit([newEvent()]);
    await webhooks.pass(DAY_MS);
    const { rows } = await webhooks.rpc.deliveries({ after: null, limit: 9 });
    expect(rows).toMatchObject([
      { state: "unsent", attempts: [], nextAt: null },
      { state: "failed", attempts: [{ status: 503 }], nextAt: null },
    ]);
    expect(await webhooks.rpc.replay(rows[0]?.id ?? "")).toBeNull();
    expect(await receiver.seen()).toHaveLength(1);
    await receiver.answers(200);
    await webhooks.rpc.setSilent(false);
    const event = newEvent();
    await webhooks.rpc.emit([event]);
    await webhooks.delivery((one) => one.event.id === event.id && one.state === "delivered");
    expect(await receiver.seen()).toHaveLength(2);
    expect(await webhooks.rpc.replay(rows[0]?.id ?? "")).toMatchObject({ state: "waiting" });
  });

  test("is tried no more where an attempt was out that then failed", async () => {
    await receiver.answers(503, { holdHeaders: "headers" });
    const { id } = await webhooks.add(receiver);
    await webhooks.rpc.emit([newEvent()]);
    await receiver.reached(1);
    await webhooks.rpc.setSilent(true);
    await receiver.open("headers");
    const delivery = await webhooks.delivery(tried(1));
    expect(delivery).toMatchObject({ state: "failed", nextAt: null });
    await webhooks.rpc.setSilent(false);
    await webhooks.pass(DAY_MS);
    expect(await receiver.seen()).toHaveLength(1);
    expect(await webhooks.rpc.endpoints()).toMatchObject([{ id, off: null }]);
  });
});

describe("a delivery", () => {
  test("is sent again under its id when its person asks for it", async () => {
    const { secret } = await webhooks.add(receiver);
    const event = newEvent();
    await webhooks.rpc.emit([event]);
    const { id } = await webhooks.delivery(({ state }) => state === "delivered");
    vi.setSystemTime(NOON + DAY_MS);
    await webhooks.rpc.replay(id);
    const [first, again] = await receiver.reached(2);
    if (first === undefined || again === undefined) throw new Error("nothing has come");
    expect(again.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(again.body).toBe(first.body);
    expect(verified(secret, again)).toMatchObject({ type: "job.completed" });
    const delivery = await webhooks.delivery(tried(2));
    expect(delivery).toMatchObject({ state: "delivered", attempts: [{ at: NOON }, {}] });
    expect(await webhooks.rpc.replay("12345")).toBeNull();
  });

  test("of a test goes to that endpoint alone, once for one form", async () => {
    const other = new Receiver();
    const { id, secret } = await webhooks.add(receiver);
    await webhooks.add(other);
    const sent = await webhooks.rpc.sendTest(id, "one");
    expect(await webhooks.rpc.sendTest(id, "one")).toMatchObject({ id: sent?.id });
    const [request] = await receiver.reached(1);
    if (request === undefined) throw new Error("nothing has come");
    expect(verified(secret, request)).toMatchObject({ type: "webhook.test" });
    await webhooks.delivery(({ state }) => state === "delivered");
    expect([await receiver.seen(), await other.seen()].map(({ length }) => length)).toEqual([1, 0]);
    expect(await webhooks.rpc.sendTest("nothing", "two")).toBeNull();
  });

  test("is kept for thirty days, and found by pages, the newest first", async () => {
    await webhooks.add(receiver);
    const events = [newEvent(), newEvent(), newEvent()];
    await webhooks.rpc.emit(events);
    await until(async () => {
      const { rows } = await webhooks.rpc.deliveries({ after: null, limit: 9 });
      expect(rows.map(({ state }) => state)).toEqual(Array(3).fill("delivered"));
    });
    const first = await webhooks.rpc.deliveries({ after: null, limit: 2 });
    const rest = await webhooks.rpc.deliveries({ after: first.next, limit: 2 });
    const ids = [...first.rows, ...rest.rows].map(({ event }) => event.id);
    expect(ids).toEqual(events.map(({ id }) => id).reverse());
    expect(rest.next).toBeNull();
    const found = await webhooks.rpc.delivery(first.rows[0]?.id ?? "");
    expect(JSON.parse(found?.body ?? "")).toMatchObject({ data: events[2]?.data });
    await webhooks.pass(DELIVERIES_KEPT_DAYS * DAY_MS);
    await until(async () => {
      expect(await webhooks.rpc.deliveries({ after: null, limit: 9 })).toEqual({
        rows: [],
        next: null,
      });
    });
  });

  test("beyond a thousand that wait is listed and not sent", async () => {
    await receiver.answers(204, { holdHeaders: "headers" });
    await webhooks.add(receiver);
    const events = Array.from({ length: DELIVERIES_WAITING_MOST + 1 }, () => newEvent());
    await webhooks.rpc.emit(events);
    const { rows } = await webhooks.rpc.deliveries({ after: null, limit: 2 });
    expect(rows.map(({ state }) => state)).toEqual(["unsent", "waiting"]);
    await webhooks.rpc.remove((await webhooks.rpc.endpoints())[0]?.id ?? "");
    await receiver.open("headers");
  });
});

test("a secret is as Standard Webhooks have them", async () => {
  const { secret } = await webhooks.add(receiver);
  expect(() => new Webhook(secret)).not.toThrow();
});
