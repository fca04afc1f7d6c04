// What the Directory keeps for webhooks that come in: whose key a hash is, what was answered, what a
// person is told.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { KeyNotice } from "../../src/contract/directory.ts";
import { KEY_NOTICES_SHOWN, WEBHOOKS_KEPT_DAYS } from "../../src/contract/limits.ts";
import directorySql from "../../src/durable-objects/directory/0001-directory.sql";
import appSql from "../../src/durable-objects/directory/0002-app.sql";
import webhooksInSql from "../../src/durable-objects/directory/0003-webhooks-in.sql";
import { migrate } from "../../src/durable-objects/migrate.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";
import { directory } from "./directory-under-test.ts";

afterEach(() => void vi.useRealTimers());

function notice(keyId: string, change: Partial<KeyNotice> = {}): KeyNotice {
  return {
    ...{ keyId, personId: "ada", at: 1_000, keyName: "laptop", keyStart: "ctn_ada_x" },
    ...{ source: "github" as const, why: "found in a commit" },
    ...change,
  };
}

describe("whose key a hash is", () => {
  test("is known from when it was written down", async () => {
    expect(await directory.ownerOfHash("hash")).toEqual({ accountId: null, toIndex: [] });
    await directory.indexKeys("ada", ["hash"], { all: false });
    expect(await directory.ownerOfHash("hash")).toEqual({ accountId: "ada", toIndex: [] });
  });

  test("stays as it was first, whoever claims it later", async () => {
    await directory.indexKeys("ada", ["claimed"], { all: false });
    await directory.indexKeys("bob", ["claimed"], { all: false });
    expect(await directory.ownerOfHash("claimed")).toMatchObject({ accountId: "ada" });
  });

  test("names the Accounts from before there was an index, until each was read", async () => {
    const stub = env.DIRECTORY.getByName("from before");
    await runInDurableObject(stub, (_, { storage }) => {
      const all =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'";
      for (const { name } of storage.sql.exec<{ name: string }>(all).toArray())
        storage.sql.exec(`DROP TABLE ${name}`);
      migrate(storage, [directorySql]);
      storage.sql.exec("INSERT INTO people VALUES ('old', 'old@example.org', 'member', 0, 1)");
      migrate(storage, [directorySql, appSql, webhooksInSql]);
    });
    const before = directoryOf({
      DIRECTORY: { idFromName: () => stub.id, get: () => stub },
    } as never);
    expect(await before.ownerOfHash("x")).toEqual({ accountId: null, toIndex: ["old"] });
    await before.indexKeys("old", ["x"], { all: true });
    expect(await before.ownerOfHash("x")).toEqual({ accountId: "old", toIndex: [] });
    expect(await before.ownerOfHash("y")).toEqual({ accountId: null, toIndex: [] });
  });
});

describe("a webhook that was obeyed", () => {
  test("is known by its id, with what it was answered", async () => {
    const received = { id: "keys 1", bodyHash: "a", answer: "[]" };
    expect(await directory.received("keys 1")).toBeNull();
    expect(await directory.keepReceived(received)).toEqual(received);
    expect(await directory.received("keys 1")).toEqual(received);
  });

  test("keeps its first answer where two deliveries ran at once", async () => {
    const first = { id: "keys 2", bodyHash: "a", answer: "first" };
    await directory.keepReceived(first);
    expect(await directory.keepReceived({ ...first, answer: "second" })).toEqual(first);
  });

  test("is forgotten when no sender comes again any more", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await directory.keepReceived({ id: "keys 3", bodyHash: "a", answer: "" });
    vi.setSystemTime(Date.now() + WEBHOOKS_KEPT_DAYS * 86_400_000);
    await directory.keepReceived({ id: "keys 4", bodyHash: "a", answer: "" });
    expect(await directory.received("keys 3")).toBeNull();
    expect(await directory.received("keys 4")).not.toBeNull();
  });
});

describe("what a person is told of a key", () => {
  test("is theirs alone, until they put it away; and being told again brings nothing back", async () => {
    await directory.tellOfKey(notice("key 1"));
    await directory.tellOfKey(notice("key 1", { why: "another" }));
    expect(await directory.keyNotices("ada")).toEqual([notice("key 1")]);
    expect(await directory.keyNotices("bob")).toEqual([]);
    expect(await directory.dismissKeyNotice("bob", "key 1")).toBe(false);
    expect(await directory.keyNotices("ada")).toHaveLength(1);
    expect(await directory.dismissKeyNotice("ada", "key 1")).toBe(true);
    await directory.tellOfKey(notice("key 1"));
    expect(await directory.keyNotices("ada")).toEqual([]);
  });

  test("is the newest first, and never more than a page has room for", async () => {
    for (let at = 1; at <= KEY_NOTICES_SHOWN + 1; at++)
      await directory.tellOfKey(notice(`many ${at}`, { personId: "eve", at }));
    const shown = await directory.keyNotices("eve");
    expect(shown).toHaveLength(KEY_NOTICES_SHOWN);
    expect(shown[0]?.at).toBe(KEY_NOTICES_SHOWN + 1);
  });
});
