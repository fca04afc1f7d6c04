// What a turn does with slices: what runs, what is written, what is told to the Job and to the Account.
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import { Backend, newPerson, view } from "../calling.ts";
import { TurnUnderTest } from "./turn-under-test.ts";

async function setting(tokens = 100_000) {
  const person = await newPerson({ tokens });
  return { person, turn: new TurnUnderTest(person), backend: new Backend() };
}

function unreported(personId: string) {
  return accountOf(env, personId)
    .snapshot()
    .then((snapshot) => snapshot?.unreported);
}

describe("a turn", () => {
  test("runs each item of a slice as a live Completion, with priority 10 and a seed", async () => {
    const { turn, backend, person } = await setting();
    const claim = await turn.slice([
      { prompt: `${backend.name} one` },
      { prompt: `${backend.name} two`, seed: 7 },
    ]);
    await turn.run();
    const seen = await backend.seen("/v1/completions");
    expect(seen.map(({ body }) => body.priority)).toEqual([10, 10]);
    expect(seen.map(({ body }) => body.model)).toEqual(["served", "served"]);
    const [first, second] = await turn.lines(claim);
    expect(first).toMatchObject({
      ...{ custom_id: "item-0", error: null },
      response: { status_code: 200, body: { model: "local", choices: [{ text: " w w w w w" }] } },
    });
    expect(first?.response.seed).toBe(seen.find(({ body }) => body.seed !== 7)?.body.seed);
    expect(first?.response.request_id).toBe(first?.id);
    expect(second).toMatchObject({ custom_id: "item-1", response: { seed: 7 } });
    expect(turn.commits).toMatchObject([
      {
        ...{ counts: { succeeded: 2, failed: 0 }, charged: 2, errors: [] },
        usage: { promptTokens: 4, completionTokens: 10 },
      },
    ]);
    const text = await turn.part(claim);
    const bytes = text?.length ?? 0;
    expect(turn.commits[0]?.part).toEqual({ bytes, succeededBytes: bytes });
    expect(turn.ends).toEqual([{ drained: true, modelNotReady: false }]);
    // The Hold is the Job's now.
    expect((await view(person)).tokens.held).toBe(turn.commits[0]?.held);
  });

  test("goes on with the next slice until none is left", async () => {
    const { turn, backend } = await setting();
    for (const from of [0, 40, 80]) {
      await turn.slice(
        Array.from({ length: 9 }, (_, at) => ({ prompt: `${backend.name} ${at}` })),
        { from },
      );
    }
    await turn.run();
    expect(turn.commits.map(({ counts }) => counts.succeeded)).toEqual([9, 9, 9]);
  });

  test("has six calls at once, and no more", async () => {
    const { turn, backend } = await setting();
    await backend.script({ holdBefore: true });
    await turn.slice(Array.from({ length: 20 }, (_, at) => ({ prompt: `${backend.name} ${at}` })));
    const ran = turn.run();
    await backend.reached(6);
    await backend.go();
    await ran;
    expect(await backend.seen("/v1/completions")).toHaveLength(20);
  });

  test("of a message that comes twice is one", async () => {
    const { turn, backend } = await setting();
    await turn.slice([{ prompt: `${backend.name} one` }]);
    await turn.run(2);
    expect(await backend.seen("/v1/completions")).toHaveLength(1);
    expect(turn.ends).toHaveLength(1);
  });

  test("that the Dispatcher does not know does nothing", async () => {
    const { turn, backend } = await setting();
    await turn.slice([{ prompt: `${backend.name} one` }]);
    turn.begins = false;
    await turn.run();
    expect(await backend.seen()).toEqual([]);
    expect(turn.ends).toEqual([]);
  });

  test("told to give way finishes what it has, and claims no more", async () => {
    const { turn, backend } = await setting();
    await backend.script({ holdBefore: true });
    turn.turnGoesOn = false;
    const bodies = Array.from({ length: 12 }, (_, at) => ({ prompt: `${backend.name} ${at}` }));
    await turn.slice(bodies);
    await turn.slice(bodies, { from: 40 });
    const ran = turn.run();
    await backend.reached(6);
    await vi.waitFor(() => expect(turn.renewals).toBeGreaterThan(0), { timeout: 5_000 });
    await backend.go();
    await ran;
    expect(turn.commits.map(({ counts }) => counts.succeeded)).toEqual([12]);
    expect(turn.claims).toHaveLength(1);
  });
});

describe("a failed item", () => {
  test("has the error that a live Completion would have, and the others have their answers", async () => {
    const { turn, backend } = await setting();
    const claim = await turn.slice([
      { prompt: `${backend.name} good` },
      { prompt: `${backend.name} bad`, max_tokens: 9_000 },
      { prompt: `${backend.name} unknown field`, nonsense: 1 },
    ]);
    await turn.run();
    const [good, long, unknown] = await turn.lines(claim);
    expect(good?.error).toBeNull();
    expect(long).toMatchObject({
      response: { status_code: 400, body: { error: { code: "context_length_exceeded" } } },
      error: { code: "context_length_exceeded" },
    });
    expect(unknown?.error?.code).toBe("invalid_request");
    expect(turn.commits).toMatchObject([
      { counts: { succeeded: 1, failed: 2 }, charged: 1, usage: { completionTokens: 5 } },
    ]);
    expect(turn.commits[0]?.errors.map(({ code, customId }) => [code, customId])).toEqual([
      ["context_length_exceeded", "item-1"],
      ["invalid_request", "item-2"],
    ]);
    const { bytes, succeededBytes } = turn.commits[0]?.part ?? { bytes: 0, succeededBytes: 0 };
    const [succeeded, failed] = [
      await turn.part(claim, "succeeded"),
      await turn.part(claim, "failed"),
    ];
    expect(succeeded).toHaveLength(succeededBytes);
    expect(failed).toHaveLength(bytes - succeededBytes);
  });

  test("that the backend refuses is not sent again, and its own words do not pass", async () => {
    const { turn, backend } = await setting();
    const message = "your secret prompt is bad";
    const body = JSON.stringify({ error: { message } });
    await backend.script({ status: 400, body });
    const claim = await turn.slice([{ prompt: `${backend.name} one` }]);
    await turn.run();
    expect(await backend.seen("/v1/completions")).toHaveLength(1);
    expect((await turn.lines(claim))[0]?.error?.code).toBe("invalid_request");
    expect(await turn.part(claim)).not.toContain("secret");
  });

  test("of a slice that broke too often is written without being run", async () => {
    const { turn, backend, person } = await setting();
    const claim = await turn.slice([{ prompt: `${backend.name} one` }], { failAll: true });
    await turn.run();
    expect(await backend.seen()).toEqual([]);
    expect((await turn.lines(claim))[0]?.error?.code).toBe("inference_failed");
    expect(turn.commits).toMatchObject([{ counts: { succeeded: 0, failed: 1 }, held: 0 }]);
    expect((await view(person)).tokens.held).toBe(0);
  });
});

describe("a backend's fault", () => {
  test("is tried again, and then answered", async () => {
    const { turn, backend } = await setting();
    await backend.script({ status: 500, body: "{}" });
    const claim = await turn.slice([{ prompt: `${backend.name} one` }]);
    const ran = turn.run();
    await backend.reached(1);
    await backend.script({});
    await ran;
    expect(await backend.seen("/v1/completions")).toHaveLength(2);
    expect((await turn.lines(claim))[0]?.error).toBeNull();
  });

  test("that it has no room is waited for, and no fault", async () => {
    const { turn, backend } = await setting();
    await backend.script({ status: 429, body: "{}" });
    const claim = await turn.slice([{ prompt: `${backend.name} one` }]);
    const ran = turn.run();
    // It may be tried again before anybody looks.
    await expect.poll(() => backend.seen("/v1/completions")).not.toEqual([]);
    await backend.script({});
    await ran;
    expect((await turn.lines(claim))[0]?.error).toBeNull();
    expect(turn.returns).toEqual([]);
    expect(turn.ends).toEqual([{ drained: true, modelNotReady: false }]);
  });

  test("that the Model is not ready gives the slice back and ends the turn", async () => {
    const { turn, backend, person } = await setting();
    await backend.script({ status: 503, body: "Service Unavailable" });
    const bodies = Array.from({ length: 12 }, (_, at) => ({ prompt: `${backend.name} ${at}` }));
    await turn.slice(bodies);
    await turn.slice(bodies, { from: 40 });
    await turn.run();
    expect(turn.returns[0]).toEqual({ why: "stopped" });
    expect(turn.commits).toEqual([]);
    expect(turn.ends).toEqual([{ drained: false, modelNotReady: true }]);
    expect((await view(person)).tokens.held).toBe(0);
  });
});

describe("a slice", () => {
  test("whose claim is lost commits nothing, and counts what ran for it as unreported", async () => {
    const { turn, backend, person } = await setting();
    turn.taken = false;
    const claim = await turn.slice([{ prompt: `${backend.name} one` }]);
    await turn.run();
    expect(turn.commits).toEqual([]);
    expect(await turn.part(claim)).toBeNull();
    expect((await view(person)).tokens).toMatchObject({ held: 0, spent: 0 });
    expect(await unreported(person.id)).toMatchObject({ requests: 1 });
  });

  test("of a cancelled Job hangs up on the backend within seconds", async () => {
    const { turn, backend, person } = await setting();
    await backend.script({ holdBefore: true });
    await turn.slice([{ prompt: `${backend.name} one` }]);
    const ran = turn.run();
    await backend.reached(1);
    turn.claimGoesOn = false;
    await ran;
    await vi.waitFor(async () => expect((await backend.seen())[0]?.aborted).toBe(true));
    expect(turn.returns).toEqual([{ why: "stopped" }]);
    expect((await view(person)).tokens).toMatchObject({ held: 0, spent: 0 });
  });

  test("that is stopped keeps and charges what is done, and the others go back", async () => {
    const { turn, backend, person } = await setting();
    const held = new Backend();
    await held.script({ holdBefore: true });
    const claim = await turn.slice([
      ...["one", "two"].map((word) => ({ prompt: `${backend.name} ${word}` })),
      ...["three", "four"].map((word) => ({ prompt: `${held.name} ${word}` })),
    ]);
    const ran = turn.run();
    await held.reached(2);
    await vi.waitFor(async () => {
      expect((await backend.seen()).filter(({ answered }) => answered)).toHaveLength(2);
    });
    turn.claimGoesOn = false;
    await ran;
    expect(turn.returns).toMatchObject([{ why: "split", rest: { from: claim.slice.from + 2 } }]);
    expect(turn.commits).toMatchObject([
      { counts: { succeeded: 2, failed: 0 }, charged: 2, usage: { completionTokens: 10 } },
    ]);
    const lines = await turn.lines(claim);
    expect(lines.map(({ custom_id }) => custom_id)).toEqual(["item-0", "item-1"]);
    expect((await view(person)).tokens.spent).toBe(0);
  });

  test("whose Model is not served any more says so of each item, and holds nothing", async () => {
    const { person } = await setting();
    const turn = new TurnUnderTest(person, "gone");
    const claim = await turn.slice([{ prompt: "one" }, { prompt: "two" }]);
    await turn.run();
    expect((await turn.lines(claim)).map(({ error }) => error?.code)).toEqual(
      Array(2).fill("model_not_found"),
    );
    expect(turn.commits).toMatchObject([{ counts: { succeeded: 0, failed: 2 }, held: 0 }]);
  });

  test("with a large item runs beside one other such: what is on its way to the store is in memory", async () => {
    const { turn, backend } = await setting();
    await backend.script({ holdBefore: true });
    for (const from of [0, 1, 2, 3]) {
      await turn.slice([{ prompt: `${backend.name} ${from}` }], { from, large: true });
    }
    const ran = turn.run();
    await vi.waitFor(() => expect(turn.claims).toEqual([]));
    await backend.reached(2);
    await backend.go();
    await ran;
    expect(turn.commits).toHaveLength(4);
  });

  test("whose input is gone is given back as broken", async () => {
    const { turn, backend } = await setting();
    const claim = await turn.slice([{ prompt: `${backend.name} one` }]);
    await env.JOB_STORE.delete(claim.inputKey);
    await turn.run();
    expect(turn.returns).toEqual([{ why: "broke" }]);
  });

  test("with one large item flows into the store", async () => {
    const { turn, backend } = await setting();
    const body = { prompt: `${backend.name} one`, max_tokens: 8_000 };
    const claim = await turn.slice([body], { large: true });
    await turn.run();
    const [line] = await turn.lines(claim);
    expect(line?.response.body.choices?.[0]?.text).toHaveLength(16_000);
    expect(line?.error).toBeNull();
    const bytes = (await turn.part(claim))?.length ?? 0;
    expect(turn.commits[0]?.part).toEqual({ bytes, succeededBytes: bytes });
  });
});

describe("tokens", () => {
  test("that do not cover the bound by bytes are asked for by exact count", async () => {
    const { turn, backend } = await setting(14);
    await turn.slice([{ prompt: `${backend.name} one` }, { prompt: `${backend.name} two` }]);
    await turn.run();
    expect(await backend.seen("/tokenize")).toHaveLength(2);
    expect(turn.returns).toEqual([]);
    expect(turn.commits).toMatchObject([{ counts: { succeeded: 2 }, held: 14 }]);
  });

  test("for fewer items split the slice, and run those that fit", async () => {
    const { turn, backend } = await setting(15);
    const claim = await turn.slice(
      ["one", "two", "three"].map((word) => ({ prompt: `${backend.name} ${word}` })),
    );
    await turn.run();
    expect(turn.returns).toMatchObject([{ why: "split", rest: { from: 2 } }]);
    expect(turn.commits).toMatchObject([{ counts: { succeeded: 2, failed: 0 }, held: 14 }]);
    expect(await turn.lines(claim)).toHaveLength(2);
  });

  test("for not even one give it back with the figures of that one", async () => {
    const { turn, backend } = await setting(6);
    await turn.slice([{ prompt: `${backend.name} one` }, { prompt: `${backend.name} two` }]);
    await turn.run();
    expect(turn.commits).toEqual([]);
    expect(turn.returns).toMatchObject([
      {
        ...{ why: "budget", scope: "account", heldWouldFree: false },
        budget: { granted: 6, available: 6, needed: 7 },
      },
    ]);
    expect(await backend.seen("/v1/completions")).toEqual([]);
  });

  test("of a disabled person are not asked for again", async () => {
    const { turn, backend, person } = await setting();
    await accountOf(env, person.id).change({ disabled: true });
    await turn.slice([{ prompt: `${backend.name} one` }]);
    await turn.run();
    expect(turn.returns).toEqual([{ why: "disabled" }]);
  });
});
