import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountOf, directoryOf } from "../../../src/durable-objects/objects.ts";
import { admin as api, audit, call, read } from "../calling.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let admin: Visitor;
let person: Visitor;
let path: string;

beforeAll(async () => {
  admin = await newVisitor({ role: "admin" });
});

beforeEach(async () => {
  person = await newVisitor();
  path = `/admin/people/${person.id}`;
});

async function newKey(name = "laptop"): Promise<{ id: string; key: string }> {
  return read(api("POST", `/people/${person.id}/keys`, { name }));
}

function grants() {
  return accountOf(env, person.id).grants();
}

/** The id that a form of the page was given. */
async function drawnId(): Promise<string> {
  const html = await (await admin.get(path)).text();
  return /name="id" value="([0-9a-f]{32})"/.exec(html)?.[1] ?? "";
}

describe("a person's page", () => {
  test("shows tokens, usage, keys, Token requests and what was done to them", async () => {
    await accountOf(env, person.id).grant({
      ...{ id: "grant_a", tokens: 5_000, note: "for the <thesis>", expiresAt: null },
    });
    await newKey();
    await directoryOf(env).askForTokens({
      ...{ id: `request_${person.id}_a`, personId: person.id, tokens: 900, reason: "a sweep" },
    });
    const shown = await words(admin.get(path));
    expect(shown).toContain("5,000 tokens available Granted 5,000 Spent 0");
    expect(shown).toContain("for the &lt;thesis&gt;");
    expect(shown).toContain("Nothing has run this month.");
    expect(shown).toContain("laptop");
    expect(shown).toContain("a sweep open");
    expect(shown).toContain("created a key");
  });

  test("of a person with hundreds of keys has pages of them", async () => {
    for (let count = 0; count < 51; count++) await newKey(`key ${count}`);
    const html = await (await admin.get(path)).text();
    expect(html).toContain(`href="${path}?keys=2#keys"`);
    expect(await words(admin.get(`${path}?keys=2`))).toContain("51 to 51 of 51");
  });
});

describe("Give tokens", () => {
  test("makes a Grant that the person can spend at once", async () => {
    const form = { id: await drawnId(), tokens: "1_000_000", note: "to begin with" };
    const shown = await followed(admin, await admin.post(`${path}/grants`, form));
    expect(shown).toContain("The tokens are there");
    expect(shown).toContain("1,000,000 tokens available");
    expect(await grants()).toMatchObject([
      { tokens: 1_000_000, note: "to begin with", expiresAt: null },
    ]);
  });

  test("sent twice is one Grant", async () => {
    const form = { id: await drawnId(), tokens: "500", note: "" };
    const send = () => admin.post(`${path}/grants`, form);
    const statuses = (await Promise.all([send(), send()])).map(({ status }) => status);
    expect(statuses).toEqual([303, 303]);
    expect(await grants()).toHaveLength(1);
  });

  test("sent again with another amount asks once more, and then gives that too", async () => {
    const id = await drawnId();
    await admin.post(`${path}/grants`, { id, tokens: "500", note: "" });
    const again = await admin.post(`${path}/grants`, { id, tokens: "600", note: "" });
    expect(again.status).toBe(409);
    const html = await again.text();
    expect(html).toContain("You sent this form before with other content");
    const fresh = /grants"[^>]*>.*?name="id" value="([0-9a-f]{32})"/s.exec(html)?.[1] ?? "";
    expect(fresh).not.toBe(id);
    await admin.post(`${path}/grants`, { id: fresh, tokens: "600", note: "" });
    expect((await grants()).map(({ tokens }) => tokens)).toEqual([500, 600]);
  });

  test("lapses after its last day", async () => {
    const lastDay = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    await admin.post(`${path}/grants`, { id: "a", tokens: "5", note: "", lastDay });
    const end = Date.parse(lastDay) + 86_400_000;
    expect(await grants()).toMatchObject([{ expiresAt: end }]);
  });

  test.each([
    [{ tokens: "0" }, "Write at least 1 token."],
    [{ tokens: "many" }, "Write a whole number"],
    [{ tokens: "5", lastDay: "2020-01-01" }, "This day is over already."],
    [{ tokens: "5", lastDay: "soon" }, "Write a day, such as 2027-01-31."],
  ])("of %j says what to write, and gives nothing", async (form, why) => {
    const answer = await admin.post(`${path}/grants`, { id: "a", note: "", ...form });
    expect(answer.status).toBe(400);
    expect(await words(answer)).toContain(why);
    expect(await grants()).toEqual([]);
  });

  test("without the form's own id gives nothing", async () => {
    expect((await admin.post(`${path}/grants`, { tokens: "5" })).status).toBe(400);
    expect(await grants()).toEqual([]);
  });
});

describe("access", () => {
  test("asks once before it disables, and then ends keys and sessions", async () => {
    const { key } = await newKey();
    const asked = await words(admin.get(`${path}/disable`));
    expect(asked).toContain(`Disable ${person.email}?`);
    const shown = await followed(admin, await admin.post(`${path}/disable`, { id: "a" }));
    expect(shown).toContain("State disabled");
    expect((await call("/v1/account", { key })).status).toBe(403);
    expect((await person.get("/sessions")).status).toBe(303);
  });

  test("enables again, with the keys that there were", async () => {
    const { key } = await newKey();
    await admin.post(`${path}/disable`, { id: "a" });
    const shown = await followed(admin, await admin.post(`${path}/enable`, { id: "b" }));
    expect(shown).toContain("State active");
    expect((await call("/v1/account", { key })).status).toBe(200);
  });

  test("makes a Member an Admin", async () => {
    const form = { id: "a", role: "admin" };
    expect(await followed(admin, await admin.post(`${path}/role`, form))).toContain("Role Admin");
    expect((await person.get("/admin/people")).status).toBe(200);
  });

  test("refuses a role that there is not", async () => {
    expect((await admin.post(`${path}/role`, { id: "a", role: "owner" })).status).toBe(400);
  });

  test("is nothing that an Admin can take from themselves", async () => {
    const mine = `/admin/people/${admin.id}`;
    expect(await words(admin.get(mine))).toContain("This is you.");
    for (const [verb, form] of [
      ["disable", { id: "a" }],
      ["role", { id: "a", role: "member" }],
    ] as const) {
      const answer = await admin.post(`${mine}/${verb}`, form);
      expect(answer.status).toBe(409);
      expect(await words(answer)).toContain("Ask another Admin.");
    }
    expect((await admin.get("/admin/people")).status).toBe(200);
  });

  test("extends an invite that nobody has used, but none that was", async () => {
    const email = `${crypto.randomUUID()}@example.org`;
    const invited = await read<{ id: string }>(api("POST", "/people", { email }));
    const answer = await admin.post(`/admin/people/${invited.id}/invite`, { id: "a" });
    expect(await followed(admin, answer)).toContain("This address may sign in.");
    const used = await admin.post(`${path}/invite`, { id: "b" });
    expect(used.status).toBe(409);
    expect(await words(used)).toContain("has signed in before");
  });
});

describe("limits", () => {
  test("are set, and written down", async () => {
    const form = { id: "a", running: "3", waiting: "4", startsPerMinute: "1,200" };
    await followed(admin, await admin.post(`${path}/limits`, form));
    const snapshot = await accountOf(env, person.id).snapshot();
    expect(snapshot?.limits).toEqual({ running: 3, waiting: 4, startsPerMinute: 1_200 });
    expect((await audit(person.id)).at(-1)).toMatchObject({
      ...{ who: admin.id, what: "person.change", detail: snapshot?.limits },
    });
  });

  test("that mean nothing are refused beside the field", async () => {
    const form = { id: "a", running: "0", waiting: "4", startsPerMinute: "5" };
    const answer = await admin.post(`${path}/limits`, form);
    expect(answer.status).toBe(400);
    expect(await words(answer)).toContain("Write at least 1.");
  });
});

describe("a key", () => {
  test("is revoked after one question, with a reason, and then refused", async () => {
    const { id, key } = await newKey();
    expect(await words(admin.get(`/admin/keys/${id}/revoke`))).toContain(
      `It is a key of ${person.email}`,
    );
    const without = await admin.post(`/admin/keys/${id}/revoke`, { reason: " " });
    expect(without.status).toBe(400);
    expect((await call("/v1/account", { key })).status).toBe(200);

    const answer = await admin.post(`/admin/keys/${id}/revoke`, { reason: "it leaked" });
    expect(await followed(admin, answer)).toContain("The key is revoked");
    const refused = await call("/v1/account", { key });
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain("it leaked");
  });

  test("revoked twice keeps the first reason and has one row", async () => {
    const { id } = await newKey();
    await admin.post(`/admin/keys/${id}/revoke`, { reason: "first" });
    await admin.post(`/admin/keys/${id}/revoke`, { reason: "second" });
    const [key] = await accountOf(env, person.id).keys();
    expect(key?.revokedWhy).toBe("first");
    const rows = (await audit(person.id)).filter(({ what }) => what === "key.revoke");
    expect(rows).toHaveLength(1);
  });

  test("is safe from Members, strangers and other sites", async () => {
    const { id, key } = await newKey();
    const form = { reason: "no" };
    const revoke = `/admin/keys/${id}/revoke`;
    expect((await person.post(revoke, form)).status).toBe(403);
    expect((await stranger.post(revoke, form)).status).toBe(401);
    expect((await admin.post(revoke, form, "https://evil.test")).status).toBe(403);
    expect((await call("/v1/account", { key })).status).toBe(200);
  });
});
