import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { KEY_SHOWN_AGAIN_MS } from "../../../src/contract/limits.ts";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import { call } from "../calling.ts";
import { form, keysOf, newKey, secretIn } from "./new-key.ts";
import { followed, newVisitor, type Visitor, words } from "./visitor.ts";

let member: Visitor;

beforeAll(async () => {
  member = await newVisitor();
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

  test("pressed twice creates one key, which both answers show", async () => {
    const page = await (await member.get("/keys/new")).text();
    const draw = /name="draw" value="([0-9a-f]{64})"/.exec(page)?.[1] ?? "";
    const before = (await keysOf(member)).length;
    const sent = form({ draw });
    const answers = await Promise.all([member.post("/keys", sent), member.post("/keys", sent)]);
    const shown = await Promise.all(answers.map(async (answer) => secretIn(await answer.text())));
    expect(shown[0]).toBe(shown[1]);
    expect((await call("/v1/account", { key: shown[0] ?? "" })).status).toBe(200);
    expect(await keysOf(member)).toHaveLength(before + 1);
  });

  test("loaded again later creates nothing and shows no key", async () => {
    const sent = form({ draw: "d".repeat(64) });
    await member.post("/keys", sent);
    const before = (await keysOf(member)).length;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + KEY_SHOWN_AGAIN_MS });
    const again = await followed(member, await member.post("/keys", sent));
    vi.useRealTimers();
    expect(again).toContain("It can't be shown again");
    expect(secretIn(again)).toBeUndefined();
    expect(await keysOf(member)).toHaveLength(before);
  });

  test("sent again by another's hand, or once it is revoked, shows no key", async () => {
    const sent = form({ draw: "e".repeat(64) });
    await member.post("/keys", sent);
    const other = await member.post("/keys", { ...sent, draw: "f".repeat(64) });
    expect(await followed(member, other)).toContain("It can't be shown again");
    const key = (await keysOf(member)).find(({ id }) => id.endsWith(`_${sent.id}`));
    await accountOf(env, member.id).revoke(key?.id ?? "", "lost");
    const late = await member.post("/keys", sent);
    expect(await followed(member, late)).toContain("It can't be shown again");
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
