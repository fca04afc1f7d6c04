// Asking for tokens, and what was decided: one open request a person, and the first decision counts.
import { evictDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { Decision } from "../../src/contract/directory.ts";
import { allPages, directory, empty, person, stub } from "./directory-under-test.ts";

const conflict = { ok: false, reason: "conflict" };
const unknown = { ok: false, reason: "unknown" };
const approved: Decision = { decision: "approved", by: "id of root", tokens: 500, note: "go on" };
const rejected: Decision = { decision: "rejected", by: "id of root", tokens: 0, note: "no GPUs" };

function ask(id: string, name = "ada") {
  return { id, personId: `id of ${name}`, tokens: 1_000, reason: "a sweep" };
}

beforeEach(async () => {
  await empty();
  for (const name of ["ada", "bob"]) await directory.addPerson(person(name));
});

describe("a Token request", () => {
  test("is open from the moment it is asked, once, also after an eviction", async () => {
    const asked = await directory.askForTokens(ask("first"));
    expect(asked).toMatchObject({
      ok: true,
      value: {
        ...{ id: "first", personId: "id of ada", tokens: 1_000, reason: "a sweep", state: "open" },
        ...{ decidedAt: null, decidedBy: null, granted: null, note: "" },
      },
    });
    await evictDurableObject(stub);
    expect(await directory.askForTokens(ask("first"))).toEqual(asked);
    expect(await directory.tokenRequest("first")).toEqual(asked.ok && asked.value);
    expect(await directory.openTokenRequests()).toBe(1);
  });

  test("with an id of other content is a conflict, also another person's", async () => {
    await directory.askForTokens(ask("first"));
    for (const other of [{ tokens: 1_001 }, { reason: "more" }, { personId: "id of bob" }]) {
      expect(await directory.askForTokens({ ...ask("first"), ...other })).toEqual(conflict);
    }
    expect(await directory.openTokenRequests()).toBe(1);
  });

  test("is a person's only open one", async () => {
    await directory.askForTokens(ask("first"));
    expect(await directory.askForTokens(ask("second"))).toEqual(conflict);
    expect(await directory.askForTokens(ask("of bob", "bob"))).toMatchObject({ ok: true });
    await directory.decideTokenRequest("first", rejected);
    expect(await directory.askForTokens(ask("second"))).toMatchObject({ ok: true });
    expect(await directory.openTokenRequests()).toBe(2);
  });

  test("of nobody is refused", async () => {
    expect(await directory.askForTokens(ask("first", "nobody"))).toEqual(unknown);
    expect(await directory.tokenRequest("first")).toBeNull();
  });
});

describe("a withdrawal", () => {
  test("is the person's own, and can be repeated", async () => {
    await directory.askForTokens(ask("first"));
    expect(await directory.withdrawTokenRequest("id of bob", "first")).toEqual(unknown);
    expect(await directory.withdrawTokenRequest("id of ada", "none")).toEqual(unknown);
    expect(await directory.openTokenRequests()).toBe(1);
    const withdrawn = await directory.withdrawTokenRequest("id of ada", "first");
    expect(withdrawn).toMatchObject({ ok: true, value: { state: "withdrawn", decidedBy: null } });
    expect(await directory.withdrawTokenRequest("id of ada", "first")).toEqual(withdrawn);
    expect(await directory.openTokenRequests()).toBe(0);
  });

  test("comes too late after a decision, and a decision after a withdrawal", async () => {
    await directory.askForTokens(ask("first"));
    await directory.decideTokenRequest("first", approved);
    expect(await directory.withdrawTokenRequest("id of ada", "first")).toEqual(conflict);
    await directory.askForTokens(ask("second"));
    await directory.withdrawTokenRequest("id of ada", "second");
    expect(await directory.decideTokenRequest("second", approved)).toMatchObject({
      ...{ outcome: "decided_before", request: { state: "withdrawn", granted: null } },
    });
  });
});

describe("a decision", () => {
  test.each([
    [approved, { state: "approved", granted: 500, note: "go on" }],
    [rejected, { state: "rejected", granted: null, note: "no GPUs" }],
  ])("%j is kept", async (decision, kept) => {
    await directory.askForTokens(ask("first"));
    const decided = await directory.decideTokenRequest("first", decision);
    expect(decided).toMatchObject({
      ...{ outcome: "decided", request: { ...kept, decidedBy: "id of root" } },
    });
    await evictDurableObject(stub);
    expect(await directory.decideTokenRequest("first", decision)).toEqual(decided);
    expect(await directory.openTokenRequests()).toBe(0);
  });

  test("of the same content by another Admin is the first one's", async () => {
    await directory.askForTokens(ask("first"));
    const first = await directory.decideTokenRequest("first", approved);
    const second = { ...approved, by: "id of another" };
    expect(await directory.decideTokenRequest("first", second)).toEqual(first);
  });

  test("of two at once is one, and the other is told which", async () => {
    await directory.askForTokens(ask("first"));
    const outcomes = await Promise.all([
      directory.decideTokenRequest("first", approved),
      directory.decideTokenRequest("first", rejected),
      directory.decideTokenRequest("first", { ...approved, tokens: 501 }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      ...["decided", "decided_before", "decided_before"],
    ]);
    const requests = outcomes.map((one) => one.outcome !== "unknown" && one.request);
    expect(new Set(requests.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  test("of a request that there is not is told so", async () => {
    expect(await directory.decideTokenRequest("none", approved)).toEqual({ outcome: "unknown" });
  });
});

describe("the list of Token requests", () => {
  test("comes newest first, in pages without gaps or repeats, by person and by state", async () => {
    for (const id of ["1", "2", "3"]) {
      await directory.askForTokens(ask(id));
      await directory.decideTokenRequest(id, id === "2" ? rejected : approved);
      await directory.askForTokens(ask(`${id} of bob`, "bob"));
      await directory.withdrawTokenRequest("id of bob", `${id} of bob`);
    }
    await directory.askForTokens(ask("4"));
    const list = (personId: string | null, state: "approved" | "open" | "closed" | null) =>
      allPages((after) => directory.tokenRequests({ personId, state, after, limit: 2 }));
    const ids = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id);
    const all = await list(null, null);
    expect(ids(all)).toEqual(["4", "3 of bob", "3", "2 of bob", "2", "1 of bob", "1"]);
    expect(all.pages).toBe(4);
    expect(ids(await list("id of bob", null))).toEqual(["3 of bob", "2 of bob", "1 of bob"]);
    expect(ids(await list(null, "open"))).toEqual(["4"]);
    expect(ids(await list(null, "closed"))).toEqual(ids(all).slice(1));
    const ofAda = await list("id of ada", "approved");
    expect(ids(ofAda)).toEqual(["3", "1"]);
    expect(ofAda.pages).toBe(1);
    expect(ids(await list("id of bob", "approved"))).toEqual([]);
  });
});
