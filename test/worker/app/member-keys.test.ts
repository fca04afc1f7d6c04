import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import { audit, call } from "../calling.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let member: Visitor;

beforeAll(async () => {
  member = await newVisitor();
});

let forms = 0;

/** The form of a key as its page sends it, with an id of its own. */
function form(fields: Record<string, string> = {}): Record<string, string> {
  forms += 1;
  return { id: `form${forms}`, name: "laptop", expires: "", limit: "", ...fields };
}

function keysOf({ id }: { id: string }) {
  return accountOf(env, id).keys();
}

async function newKey(visitor: Visitor, fields: Record<string, string> = {}) {
  const sent = form(fields);
  const html = await (await visitor.post("/keys", sent)).text();
  const secret = /ctn_[0-9a-z]{16}_[0-9a-z]{40}/.exec(html)?.[0];
  const key = (await keysOf(visitor)).find(({ id }) => id.endsWith(`_${sent.id}`));
  if (secret === undefined || key === undefined) throw new Error(`no key was made: ${html}`);
  return { ...key, secret, path: `/keys/${key.id}` };
}

describe("API Keys", () => {
  test("without a key says what a key is for, and where to create one", async () => {
    const newcomer = await newVisitor();
    const html = await (await newcomer.get("/keys")).text();
    expect(html).toContain("You have no key yet.");
    expect(html).toContain('href="/keys/new"');
    expect(html).not.toContain("<table");
  });

  test("shows a key's name and start, never its secret or its hash", async () => {
    const key = await newKey(member, { name: "evaluation 🧪" });
    const html = await (await member.get("/keys")).text();
    expect(html).toContain("evaluation 🧪");
    expect(html).toContain(`${key.start}…`);
    expect(html).not.toContain(key.secret);
  });

  test("shows names as text, whatever they are", async () => {
    const name = "<script>alert(1)</script>".padEnd(200, "é");
    await newKey(member, { name });
    const html = await (await member.get("/keys")).text();
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toContain("<script>alert");
  });

  test("of thousands stands on pages, those that work first", async () => {
    const busy = await newVisitor();
    const account = accountOf(env, busy.id);
    const mint = (number: number) =>
      account.mint({
        ...{ keyId: `key_${busy.id}_${number}`, keyHash: `hash ${number}`, start: "ctn_" },
        ...{ name: `key number ${number}.`, scope: "completions" as const },
        ...{ expiresAt: null, monthlyTokenLimit: null },
      });
    for (let number = 0; number < 120; number += 1) await mint(number);
    await account.revoke(`key_${busy.id}_119`, "old");
    const first = await (await busy.get("/keys")).text();
    expect(first.match(/<tr>/g)).toHaveLength(51);
    expect(first).not.toContain("key number 119.");
    expect(first).toContain('href="/keys?page=2"');
    const last = await words(busy.get("/keys?page=3"));
    expect(last).toContain("key number 119.");
    expect(last).toContain("101 to 120 of 120");
    expect(await words(busy.get("/keys?page=999"))).toBe(last);
    expect((await busy.get("/keys?page=x'"))?.status).toBe(200);
  });
});

describe("Create a key", () => {
  test("shows the key this once, and it works", async () => {
    const key = await newKey(member, { limit: "1,000", expires: "2199-12-31" });
    expect(key).toMatchObject({
      ...{ name: "laptop", scope: "completions", monthlyTokenLimit: 1_000 },
      expiresAt: Date.parse("2200-01-01T00:00:00Z"),
    });
    expect((await call("/v1/account", { key: key.secret })).status).toBe(200);
    expect(await (await member.get("/keys")).text()).not.toContain(key.secret);
  });

  test("with its answer kept by no cache", async () => {
    const answer = await member.post("/keys", form());
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("loaded again creates nothing and shows no key", async () => {
    const sent = form();
    await member.post("/keys", sent);
    const before = (await keysOf(member)).length;
    const again = await followed(member, await member.post("/keys", sent));
    expect(again).toContain("It can't be shown again");
    expect(again).not.toMatch(/ctn_[0-9a-z]{16}_[0-9a-z]{40}/);
    expect(await keysOf(member)).toHaveLength(before);
  });

  test("sent with other content under the same id asks to send it once more", async () => {
    const sent = form();
    await member.post("/keys", sent);
    const answer = await member.post("/keys", { ...sent, name: "another" });
    expect(answer.status).toBe(409);
    expect(await words(answer)).toContain("Send it once more");
  });

  test.each([
    [{ name: " " }, "Give the key a name."],
    [{ name: "x".repeat(201) }, "Write at most 200 characters."],
    [{ expires: "tomorrow" }, "Write a day as 2026-12-31."],
    [{ expires: "2001-01-01" }, "This day is over. Choose a later one, or none."],
    [{ limit: "0" }, "Write at least 1 token."],
    [{ limit: "many" }, "Write a whole number, such as 1,000,000."],
  ])("with %j says what to write and keeps the rest", async (fields, why) => {
    const before = (await keysOf(member)).length;
    const answer = await member.post("/keys", form({ name: "kept name", ...fields }));
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain(why);
    expect(html).toContain('aria-invalid="true"');
    if (!("name" in fields)) expect(html).toContain('value="kept name"');
    expect(await keysOf(member)).toHaveLength(before);
  });

  test("for the admin API is an Admin's alone", async () => {
    expect(await (await member.get("/keys/new")).text()).not.toContain("admin API");
    const answer = await member.post("/keys", form({ scope: "admin" }));
    expect(answer.status).toBe(403);
    const admin = await newVisitor({ role: "admin" });
    expect(await newKey(admin, { scope: "admin" })).toMatchObject({ scope: "admin" });
  });
});

describe("a key's menu", () => {
  test("renames", async () => {
    const key = await newKey(member);
    expect(await (await member.get(`${key.path}/rename`)).text()).toContain('value="laptop"');
    const answer = await member.post(`${key.path}/rename`, { name: "desk" });
    expect(await followed(member, answer)).toContain("The key has its new name.");
    expect(await keysOf(member)).toContainEqual(
      expect.objectContaining({ id: key.id, name: "desk" }),
    );
    expect((await member.post(`${key.path}/rename`, { name: "" })).status).toBe(400);
  });

  test("sets a limit, and takes it away", async () => {
    const key = await newKey(member);
    const limit = async () =>
      (await keysOf(member)).find(({ id }) => id === key.id)?.monthlyTokenLimit;
    await followed(member, await member.post(`${key.path}/limit`, { limit: "2 500" }));
    expect(await limit()).toBe(2_500);
    expect(await (await member.get(`${key.path}/limit`)).text()).toContain('value="2,500"');
    await followed(member, await member.post(`${key.path}/limit`, { limit: "" }));
    expect(await limit()).toBeNull();
    expect((await member.post(`${key.path}/limit`, { limit: "-1" })).status).toBe(400);
  });

  test("revokes after it said what will break; the next request is refused, and told why", async () => {
    const key = await newKey(member, { name: "doomed" });
    const asks = await words(member.get(`${key.path}/revoke`));
    expect(asks).toContain("doomed");
    expect(asks).toContain("the next request is refused");
    expect((await call("/v1/account", { key: key.secret })).status).toBe(200);

    const answer = await member.post(`${key.path}/revoke`, { reason: "leaked" });
    expect(await followed(member, answer)).toContain("The key is revoked");
    const refused = await call("/v1/account", { key: key.secret });
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain("leaked");
    expect((await audit(member.id)).at(-1)).toMatchObject({
      ...{ who: member.id, what: "key.revoke", detail: { keyId: key.id, reason: "leaked" } },
    });
  });

  test("revokes once, however often it is pressed", async () => {
    const key = await newKey(member);
    await member.post(`${key.path}/revoke`, { reason: "first" });
    await followed(member, await member.post(`${key.path}/revoke`, { reason: "second" }));
    const revoked = (await keysOf(member)).find(({ id }) => id === key.id);
    expect(revoked?.revokedWhy).toBe("first");
  });

  test("is gone for a revoked key", async () => {
    const key = await newKey(member);
    await member.post(`${key.path}/revoke`, {});
    expect(await (await member.get("/keys")).text()).not.toContain(`${key.path}/rename`);
    for (const deed of ["rename", "limit"]) {
      const answer = await member.post(`${key.path}/${deed}`, { name: "x", limit: "5" });
      expect(answer.status).toBe(409);
      expect(await words(answer)).toContain("This key is revoked");
    }
  });
});

describe("another person's key", () => {
  test.each(["rename", "limit", "revoke"])(
    "is not there to %s, for a Member and for an Admin on their own page",
    async (deed) => {
      const key = await newKey(member);
      for (const role of ["member", "admin"] as const) {
        const other = await newVisitor({ role });
        const fields = { name: "mine now", limit: "1", reason: "no" };
        for (const answer of [
          await other.get(`${key.path}/${deed}`),
          await other.post(`${key.path}/${deed}`, fields),
        ]) {
          expect(answer.status).toBe(404);
          expect(await words(answer)).toContain("You have no such key.");
        }
      }
      const { secret: _secret, path: _path, ...before } = key;
      expect(await keysOf(member)).toContainEqual(before);
    },
  );

  test("is in nobody else's list", async () => {
    const key = await newKey(member);
    const other = await newVisitor();
    expect(await (await other.get("/keys")).text()).not.toContain(key.start);
  });
});

describe("without a session, or from another site", () => {
  const posts = ["/keys", "/keys/key_0000000000000000_a/rename"];

  test.each([...posts, "/keys/key_0000000000000000_a/revoke"])(
    "POST %s changes nothing",
    async (path) => {
      expect((await stranger.post(path, form())).status).toBe(401);
      expect((await member.post(path, form(), "https://elsewhere.example")).status).toBe(403);
      expect((await member.post(path, form(), null)).status).toBe(403);
    },
  );

  test.each(["/keys", "/keys/new", "/keys/key_0000000000000000_a/limit"])(
    "GET %s leads to the sign-in page and back",
    async (path) => {
      const answer = await stranger.get(path);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    },
  );
});
