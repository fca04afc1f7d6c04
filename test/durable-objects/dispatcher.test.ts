// Turns of a Model's Dispatcher, among a Model, Jobs and a queue that only note what they are told.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { JobTurn } from "../../src/contract/dispatcher.ts";
import type { ModelStatus, WaitAnswer, WaitRequest } from "../../src/contract/inference.ts";
import type { ModelWait } from "../../src/contract/jobs.ts";
import { Dispatcher } from "../../src/durable-objects/dispatcher/dispatcher.ts";
import type { ObjectBindings } from "../../src/durable-objects/objects.ts";

const WARM: ModelStatus = {
  ...{ state: "warm", spend: { paused: false }, expectedStartMs: 1_000 },
  ...{ startingSince: null, lastStartMs: null },
};
const COLD: ModelStatus = { ...WARM, state: "cold" };

/** The window of the Model that the tests are about: 96 calls, six a turn. */
const WINDOW = 16;

class Others {
  status: ModelStatus = WARM;
  asked = { status: 0, notReady: 0, left: 0 };
  waits: { request: WaitRequest; answer: (answer: WaitAnswer) => void }[] = [];
  turns: JobTurn[] = [];
  words: { jobId: string; reason: ModelWait | null }[] = [];

  get bindings(): ObjectBindings {
    const inference = {
      status: async () => {
        this.asked.status += 1;
        return this.status;
      },
      notReady: async () => {
        this.asked.notReady += 1;
        return this.status;
      },
      leave: async () => {
        this.asked.left += 1;
      },
      awaitWarm: (request: WaitRequest) =>
        new Promise<WaitAnswer>((answer) => this.waits.push({ request, answer })),
    };
    const job = (jobId: string) => ({
      modelWaits: async (reason: ModelWait | null) => void this.words.push({ jobId, reason }),
    });
    const JOB_TURNS = {
      sendBatch: async (messages: { body: JobTurn }[]) =>
        void this.turns.push(...messages.map(({ body }) => body)),
    };
    const one = (rpc: object) => ({ idFromName: (name: string) => name, get: () => rpc });
    const fakes = {
      INFERENCE: one(inference),
      JOB: { idFromName: (name: string) => name, get: job },
      JOB_TURNS,
    };
    return { ...env, ...fakes } as unknown as ObjectBindings;
  }
}

/** Each test has an object of its own, whose state is that of this Model. */
async function dispatching(
  deed: (dispatcher: Dispatcher, others: Others) => Promise<void>,
  model = "local",
  changed: object = {},
) {
  const stub = env.DISPATCHER.getByName(model);
  await evictDurableObject(stub).catch(() => undefined);
  await runInDurableObject(stub, async (_, context) => {
    for (const table of ["jobs", "tickets"]) context.storage.sql.exec(`DELETE FROM ${table}`);
    const others = new Others();
    await deed(new Dispatcher(context, { ...others.bindings, ...changed }), others);
    // A call that waits would keep the object from going.
    for (const { answer } of others.waits) answer({ outcome: "left" });
    await context.storage.deleteAlarm();
  });
}

async function entered(dispatcher: Dispatcher, others: Others, jobId = "a", personId = "ada") {
  await dispatcher.enter({ jobId, personId });
  await vi.waitFor(() => expect(others.turns).toHaveLength(WINDOW));
}

describe("a Dispatcher", () => {
  test("sends as many turns as the Model's window has room for, once the Model is Warm", () =>
    dispatching(async (dispatcher, others) => {
      await entered(dispatcher, others);
      expect(new Set(others.turns.map((turn) => turn.ticket)).size).toBe(WINDOW);
      expect(others.turns[0]).toMatchObject({ jobId: "a", model: "local" });
      expect(others.asked.status).toBe(1);
    }));

  test("asks nothing of a Model that no Job wants", () =>
    dispatching(async (dispatcher, others) => {
      expect(await dispatcher.snapshot()).toEqual({ jobs: [], waitsFor: null });
      await dispatcher.leave("a");
      expect(others.asked.status).toBe(0);
    }));

  test("waits for a Cold Model once for all Jobs, and tells each when that begins and ends", () =>
    dispatching(async (dispatcher, others) => {
      others.status = COLD;
      await dispatcher.enter({ jobId: "a", personId: "ada" });
      await dispatcher.enter({ jobId: "b", personId: "bob" });
      await vi.waitFor(() => expect(others.words).toHaveLength(2));
      expect(new Set(others.words.map(({ reason }) => reason))).toEqual(
        new Set(["model_starting"]),
      );
      expect(others.waits).toHaveLength(1);
      expect(others.turns).toEqual([]);
      others.waits[0]?.answer({ outcome: "warm", status: WARM });
      await vi.waitFor(() => expect(others.turns).toHaveLength(WINDOW));
      await vi.waitFor(() => expect(others.words).toHaveLength(4));
      expect(others.words.slice(2).every(({ reason }) => reason === null)).toBe(true);
    }));

  test("leaves the line of a Cold Model when no Job wants it any more", () =>
    dispatching(async (dispatcher, others) => {
      others.status = COLD;
      await dispatcher.enter({ jobId: "a", personId: "ada" });
      await vi.waitFor(() => expect(others.waits).toHaveLength(1));
      await dispatcher.leave("a");
      expect(others.asked.left).toBe(1);
    }));

  test("hands out nothing while new GPU work is paused, and lets no turn go on", () =>
    dispatching(async (dispatcher, others) => {
      others.status = {
        ...WARM,
        spend: { paused: true, reason: "by_hand", liftsAt: null },
      } as ModelStatus;
      await dispatcher.enter({ jobId: "a", personId: "ada" });
      await vi.waitFor(() => expect(others.words).toEqual([{ jobId: "a", reason: "spend_cap" }]));
      expect(others.turns).toEqual([]);
      expect((await dispatcher.snapshot()).waitsFor).toBe("spend_cap");
    }));

  test("begins each ticket once", () =>
    dispatching(async (dispatcher, others) => {
      await entered(dispatcher, others);
      const ticket = others.turns[0]?.ticket ?? "";
      expect(await dispatcher.begin(ticket)).toBe(true);
      expect(await dispatcher.begin(ticket)).toBe(false);
      expect(await dispatcher.renew(ticket)).toEqual({ goOn: true });
      await dispatcher.end(ticket, { drained: false, modelNotReady: false });
      expect(await dispatcher.renew(ticket)).toEqual({ goOn: false });
      await vi.waitFor(() => expect(others.turns).toHaveLength(WINDOW + 1));
    }));

  test("that hears of a backend that is not ready says so to the Model, and waits", () =>
    dispatching(async (dispatcher, others) => {
      await entered(dispatcher, others);
      const [first, second] = others.turns.map(({ ticket }) => ticket);
      await dispatcher.begin(first ?? "");
      await dispatcher.begin(second ?? "");
      others.status = COLD;
      await dispatcher.end(first ?? "", { drained: false, modelNotReady: true });
      await vi.waitFor(() => expect(others.waits).toHaveLength(1));
      expect(others.asked.notReady).toBe(1);
      expect(await dispatcher.renew(second ?? "")).toEqual({ goOn: false });
      expect(others.turns).toHaveLength(WINDOW);
    }));

  test("knows its Jobs and tickets after it was gone", () =>
    dispatching(async (dispatcher, others) => {
      await entered(dispatcher, others);
      const ticket = others.turns[0]?.ticket ?? "";
      await dispatcher.begin(ticket);
      const context = (dispatcher as unknown as { ctx: DurableObjectState }).ctx;
      const again = new Dispatcher(context, others.bindings);
      expect(await again.snapshot()).toMatchObject({ jobs: [{ jobId: "a", turns: WINDOW }] });
      expect(await again.begin(ticket)).toBe(false);
      expect(await again.renew(ticket)).toEqual({ goOn: true });
    }));

  test("has an alarm while tickets are out, so that lost ones are sent again", () =>
    dispatching(async (dispatcher, others) => {
      await entered(dispatcher, others);
      const { storage } = (dispatcher as unknown as { ctx: DurableObjectState }).ctx;
      await vi.waitFor(async () => expect(await storage.getAlarm()).not.toBeNull());
    }));

  test.each([
    ["the catalogue has no more", "gone", {}],
    ["has no backend any more", "local", { BACKENDS: "{}" }],
  ])(
    "of a Model that %s asks it nothing, and hands out a turn at a time, which says so in the results",
    (_, model, changed) =>
      dispatching(
        async (dispatcher, others) => {
          await dispatcher.enter({ jobId: "a", personId: "ada" });
          expect(others.turns).toMatchObject([{ jobId: "a", model }]);
          const ticket = others.turns[0]?.ticket ?? "";
          expect(await dispatcher.begin(ticket)).toBe(true);
          expect(await dispatcher.renew(ticket)).toEqual({ goOn: true });
          await dispatcher.leave("a");
          await dispatcher.end(ticket, { drained: true, modelNotReady: false });
          expect(await dispatcher.snapshot()).toEqual({ jobs: [], waitsFor: null });
          expect(others.asked).toEqual({ status: 0, notReady: 0, left: 0 });
        },
        model,
        changed,
      ),
  );
});
