// The inbox: one decision counts, its Grant is given once, whoever presses and however often.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../src/contract/directory.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";
import { askForTokens } from "../../src/worker/deeds/token-requests.ts";
import { admin, audit, complete, errorOf, newPerson, type Person, read, view } from "./calling.ts";
import { doing } from "./doing.ts";

interface RequestView {
  id: string;
  state: string;
}

interface RequestsPage {
  data: RequestView[];
  next: string | null;
}

const conflict = { status: 409, code: "conflict", retry: "false" };

async function asking(person: Person, tokens = 1_000): Promise<string> {
  const ask = { tokens, reason: "a sweep" };
  return (await doing((c) => askForTokens(c, person.id, ask))).id;
}

function approve(id: string, body: object = {}, key?: string) {
  return admin("POST", `/token-requests/${id}/approve`, body, key);
}

function reject(id: string, body: object = { note: "no GPUs" }, key?: string) {
  return admin("POST", `/token-requests/${id}/reject`, body, key);
}

async function decisions({ id }: Person) {
  return (await audit(id)).filter(({ what }) => /^request\.(approve|reject)$/.test(String(what)));
}

async function grants(person: Person): Promise<number[]> {
  return (await view(person)).grants.map(({ tokens }) => tokens);
}

describe("approving", () => {
  test("gives what was asked, and a run that was refused goes through", async () => {
    const person = await newPerson({ tokens: 0 });
    expect((await complete(person.key, { prompt: "Call me" })).status).toBe(429);
    const id = await asking(person);
    expect(await read(approve(id))).toMatchObject({
      ...{ id, person: { id: person.id }, state: "approved", granted: 1_000, note: "" },
      ...{ decided_by: "operator", decided_at: expect.stringMatching(/Z$/) },
      grant: { tokens: 1_000, expires_at: null },
    });
    expect((await complete(person.key, { prompt: "Call me" })).status).toBe(200);
  });

  test("gives another amount where the Admin says so, with the note", async () => {
    const person = await newPerson({ tokens: 0 });
    const root = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
    const id = await asking(person);
    const approval = { tokens: 400, note: " half for now " };
    expect(await read(approve(id, approval, root.key))).toMatchObject({
      ...{ tokens: 1_000, granted: 400, note: "half for now", decided_by: root.id },
      grant: { tokens: 400, note: "half for now" },
    });
    const detail = { request: id, tokens: 400, note: "half for now" };
    expect(await decisions(person)).toEqual([{ who: root.id, what: "request.approve", detail }]);
  });

  test("pressed again, and at once, gives one Grant and one row", async () => {
    const person = await newPerson({ tokens: 0 });
    const id = await asking(person);
    const all = await Promise.all([1, 2, 3, 4].map(() => read(approve(id))));
    expect(new Set([...all, await read(approve(id))].map((one) => JSON.stringify(one))).size).toBe(
      1,
    );
    expect(await grants(person)).toEqual([1_000]);
    expect(await decisions(person)).toHaveLength(1);
  });

  test("by two Admins at once counts once; the other hears whose and what it was", async () => {
    const person = await newPerson({ tokens: 0 });
    const one = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
    const two = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
    const id = await asking(person);
    const answers = await Promise.all([
      approve(id, { tokens: 100 }, one.key),
      approve(id, { tokens: 200 }, two.key),
      reject(id, { note: "no" }, two.key),
    ]);
    const refused = answers.filter(({ ok }) => !ok);
    expect(refused).toHaveLength(2);
    const [row] = await decisions(person);
    expect(await decisions(person)).toHaveLength(1);
    const winner = await directoryOf(env).person(String(row?.who));
    for (const answer of refused) {
      const error = await errorOf(answer);
      expect(error).toMatchObject(conflict);
      expect(error.message).toContain(winner?.email);
    }
    const request = await directoryOf(env).tokenRequest(id);
    expect(await grants(person)).toEqual(request?.granted === null ? [] : [request?.granted]);
  });
});

describe("an approval that a crash broke off before its Grant", () => {
  const decision: Decision = { decision: "approved", by: "operator", tokens: 300, note: "go" };

  async function brokenOff(): Promise<{ person: Person; id: string }> {
    const person = await newPerson({ tokens: 0 });
    const id = await asking(person);
    await directoryOf(env).decideTokenRequest(id, decision);
    expect(await grants(person)).toEqual([]);
    return { person, id };
  }

  test("is finished by its repeat, also another Admin's, with the first one's name", async () => {
    const { person, id } = await brokenOff();
    const root = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
    await read(approve(id, { tokens: 300, note: "go" }, root.key));
    await read(approve(id, { tokens: 300, note: "go" }));
    expect(await grants(person)).toEqual([300]);
    expect(await decisions(person)).toMatchObject([{ who: "operator", what: "request.approve" }]);
  });

  test.each([
    ["an approval of another amount", (id: string) => approve(id, { tokens: 301 })],
    ["a rejection", (id: string) => reject(id)],
  ])("is finished by %s, which is told that it comes too late", async (_, press) => {
    const { person, id } = await brokenOff();
    const error = await errorOf(press(id));
    expect(error).toMatchObject(conflict);
    expect(error.message).toContain("approved with 300 tokens before, by operator");
    expect(await grants(person)).toEqual([300]);
    expect(await decisions(person)).toHaveLength(1);
  });
});

describe("rejecting", () => {
  test("gives nothing, keeps the note, and lets the person ask again", async () => {
    const person = await newPerson({ tokens: 0 });
    const id = await asking(person);
    const rejected = await read(reject(id));
    expect(rejected).toMatchObject({ state: "rejected", granted: null, note: "no GPUs" });
    expect(await read(reject(id))).toEqual(rejected);
    expect(await errorOf(approve(id))).toMatchObject(conflict);
    expect(await grants(person)).toEqual([]);
    const detail = { request: id, note: "no GPUs" };
    expect(await decisions(person)).toEqual([{ who: "operator", what: "request.reject", detail }]);
    await asking(person);
  });

  test("needs a note", async () => {
    const person = await newPerson({ tokens: 0 });
    const id = await asking(person);
    for (const body of [{}, { note: "" }, { note: "  " }, { note: null }]) {
      expect(await errorOf(reject(id, body))).toMatchObject({ status: 400, param: "note" });
    }
    expect(await directoryOf(env).tokenRequest(id)).toMatchObject({ state: "open" });
  });
});

describe("a request that was withdrawn", () => {
  test("can be neither approved nor rejected", async () => {
    const person = await newPerson({ tokens: 0 });
    const id = await asking(person);
    await directoryOf(env).withdrawTokenRequest(person.id, id);
    for (const press of [approve(id), reject(id)]) {
      const error = await errorOf(press);
      expect(error).toMatchObject(conflict);
      expect(error.message).toContain("withdrawn");
    }
    expect(await grants(person)).toEqual([]);
    expect(await decisions(person)).toEqual([]);
  });
});

describe("the list of Token requests", () => {
  test("has who asked, newest first, by state and person, in pages", async () => {
    const person = await newPerson({ tokens: 0 });
    const first = await asking(person);
    await read(reject(first));
    const second = await asking(person, 5);
    const path = `/token-requests?person=${person.id}`;
    const page = await read<RequestsPage>(admin("GET", `${path}&limit=1`));
    const email = expect.stringMatching(/@example\.org$/);
    expect(page.data).toMatchObject([
      {
        ...{ id: second, person: { id: person.id, email }, tokens: 5, reason: "a sweep" },
        ...{ state: "open", granted: null, note: "", decided_at: null, decided_by: null },
      },
    ]);
    const next = await read<RequestsPage>(admin("GET", `${path}&limit=1&after=${page.next}`));
    expect(next).toMatchObject({ data: [{ id: first, state: "rejected" }], next: null });
    const open = await read<RequestsPage>(admin("GET", "/token-requests?state=open"));
    expect(open.data.map(({ id }) => id)).toContain(second);
    expect(open.data.every(({ state }) => state === "open")).toBe(true);
  });

  test.each([
    ["state=done", "state"],
    ["after=x", "after"],
    ["after=-1", "after"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["email=x", "email"],
  ])("?%s is refused by the field's name", async (query, param) => {
    const error = await errorOf(admin("GET", `/token-requests?${query}`));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
  });
});

describe("a decision that may not be", () => {
  test("a Member's, an Admin's key without the scope, and of no request", async () => {
    const person = await newPerson({ tokens: 0 });
    const root = await newPerson({ tokens: 0, role: "admin" });
    const id = await asking(person);
    for (const { key } of [person, root]) {
      for (const press of [approve(id, {}, key), reject(id, { note: "x" }, key)]) {
        expect(await errorOf(press)).toMatchObject({ status: 403, code: "admin_required" });
      }
      const list = admin("GET", "/token-requests", undefined, key);
      expect(await errorOf(list)).toMatchObject({ status: 403 });
    }
    for (const press of [approve("nothing"), reject("nothing")]) {
      expect(await errorOf(press)).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(await directoryOf(env).tokenRequest(id)).toMatchObject({ state: "open" });
    expect(await grants(person)).toEqual([]);
  });

  test.each([
    [{ tokens: 0 }, "tokens"],
    [{ tokens: "5" }, "tokens"],
    [{ note: "x".repeat(2_001) }, "note"],
    [{ expires_at: null }, "expires_at"],
  ])("an approval with %j is refused by the field's name", async (body, param) => {
    const id = await asking(await newPerson({ tokens: 0 }));
    expect(await errorOf(approve(id, body))).toMatchObject({ status: 400, param });
    expect(await directoryOf(env).tokenRequest(id)).toMatchObject({ state: "open" });
  });
});
