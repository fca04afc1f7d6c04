// The key that the App's pages call the API with: as good as one of the person's, and no longer than
// their session.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { SESSIONS_MOST } from "../../../src/contract/limits.ts";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import { admin, call, complete, errorOf, read } from "../calling.ts";
import { newInvite, SigningIn } from "./signing-in.ts";
import { newVisitor, stranger, type Visitor } from "./visitor.ts";

async function keyOf(visitor: Visitor): Promise<string> {
  const { key } = await read<{ key: string }>(visitor.post("/app/session-key"));
  return key;
}

async function withTokens(tokens = 1_000): Promise<Visitor> {
  const visitor = await newVisitor();
  await admin("POST", `/people/${visitor.id}/grants`, { tokens });
  return visitor;
}

describe("the App's key", () => {
  test("spends the person's tokens, by the same rules as any key", async () => {
    const visitor = await withTokens(100);
    const key = await keyOf(visitor);
    expect((await complete(key, { prompt: "Call me" })).status).toBe(200);
    const { tokens, key: own } = await read<{
      tokens: { spent: number };
      key: { id: string; name: string };
    }>(call("/v1/account", { key }));
    expect(tokens.spent).toBeGreaterThan(0);
    expect(own).toMatchObject({ id: "app", name: "App" });
    const tooMuch = await errorOf(complete(key, { prompt: Array(200).fill(1) }));
    expect(tooMuch.code).toBe("budget_exceeded");
  });

  test("is worth nothing once its session has ended, while another session's still is", async () => {
    const visitor = await withTokens();
    const key = await keyOf(visitor);
    const other = "0".repeat(64);
    await accountOf(env, visitor.id).addAppKey({ keyHash: other, sessionId: "another" });
    expect((await visitor.post("/sign-out")).status).toBe(303);
    expect((await errorOf(complete(key, { prompt: "Call me" }))).code).toBe("invalid_api_key");
    const asked = await accountOf(env, visitor.id).identify(other, { countsAsStart: false });
    expect(asked.outcome).toBe("identified");
  });

  test("is worth nothing once its session made room for another sign-in", async () => {
    const who = await newInvite();
    const browsers = [new SigningIn(), new SigningIn()] as const;
    await browsers[0].signIn(who);
    const { key } = await read<{ key: string }>(browsers[0].post("/app/session-key"));
    const [, personId = ""] = key.split("_");
    await runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) => {
      for (let index = 1; index < SESSIONS_MOST; index += 1) {
        storage.sql.exec(
          `INSERT INTO sessions (hash, id, person_id, agent, started_at, last_seen_at)
           VALUES (?, ?, ?, 'Firefox', ?, ?)`,
          ...[`${personId} ${index}`, `${index}`, personId, Date.now(), Date.now() + index],
        );
      }
    });
    expect((await call("/v1/account", { key })).status).toBe(200);
    await browsers[1].signIn(who);
    expect((await browsers[0].get("/sessions")).status).toBe(303);
    expect((await errorOf(call("/v1/account", { key }))).code).toBe("invalid_api_key");
  });

  test("is worth nothing while the person is disabled, nor after", async () => {
    const visitor = await withTokens();
    const key = await keyOf(visitor);
    await admin("PATCH", `/people/${visitor.id}`, { disabled: true });
    expect((await complete(key, { prompt: "Call me" })).status).toBe(401);
    await admin("PATCH", `/people/${visitor.id}`, { disabled: false });
    expect((await complete(key, { prompt: "Call me" })).status).toBe(401);
  });

  test("opens no admin route, though an Admin's", async () => {
    const visitor = await newVisitor({ role: "admin" });
    const refused = await errorOf(admin("GET", "/people", undefined, await keyOf(visitor)));
    expect(refused.code).toBe("admin_required");
  });

  test("is no key of the person's list", async () => {
    const visitor = await withTokens();
    const key = await keyOf(visitor);
    expect(await accountOf(env, visitor.id).keys()).toEqual([]);
    expect(await (await visitor.get("/keys")).text()).not.toContain(key.slice(0, 25));
  });

  test("is given to nobody without a session, and to no other site", async () => {
    expect((await stranger.post("/app/session-key")).status).toBe(401);
    const visitor = await newVisitor();
    const foreign = await visitor.post("/app/session-key", {}, "https://elsewhere.test");
    expect(foreign.status).toBe(403);
    expect((await visitor.post("/app/session-key", {}, null)).status).toBe(403);
  });

  test("is kept by nobody on the way", async () => {
    const visitor = await newVisitor();
    const answer = await visitor.post("/app/session-key");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
