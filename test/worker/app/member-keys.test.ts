import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import { audit, call } from "../calling.ts";
import { form, keysOf, newKey } from "./new-key.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let member: Visitor;

beforeAll(async () => {
  member = await newVisitor();
});

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
