// How long a session lasts, who ends it, and what of it is kept.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  SESSION_DAYS,
  SESSION_IDLE_DAYS,
  SESSION_SEEN_EVERY_MS,
  SESSIONS_MOST,
} from "../../src/contract/limits.ts";
import type { Directory } from "../../src/durable-objects/directory/directory.ts";
import { directory, empty, person, session, signingIn, stub } from "./directory-under-test.ts";

const DAY_MS = 86_400_000;
const begin = Date.UTC(2026, 10, 29);

function at(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: ms });
}

function hashes(): Promise<unknown[]> {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec("SELECT hash FROM sessions ORDER BY hash")
      .toArray()
      .map(({ hash }) => hash),
  );
}

beforeEach(async () => {
  at(begin);
  await empty();
  for (const name of ["ada", "bob"]) {
    await directory.addPerson(person(name));
    await directory.signIn(signingIn(name));
  }
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session", () => {
  test("is its person's, as they are now", async () => {
    await directory.changePerson("id of ada", { role: "admin" });
    expect(await directory.session("hash of ada")).toMatchObject({
      ...{ person: { id: "id of ada", role: "admin" }, sessionId: expect.any(String) },
    });
    expect(await directory.session("hash of nobody")).toBeNull();
  });

  test("ends after its days, however often it is used", async () => {
    for (let day = 1; day < SESSION_DAYS; day += 1) {
      at(begin + day * DAY_MS);
      expect(await directory.session("hash of ada")).not.toBeNull();
    }
    at(begin + SESSION_DAYS * DAY_MS - 1);
    expect(await directory.session("hash of ada")).not.toBeNull();
    at(begin + SESSION_DAYS * DAY_MS);
    expect(await directory.session("hash of ada")).toBeNull();
    at(begin);
    expect(await directory.session("hash of ada")).toBeNull();
  });

  test("ends when it is idle", async () => {
    at(begin + SESSION_IDLE_DAYS * DAY_MS - 1);
    expect(await directory.session("hash of ada")).not.toBeNull();
    at(begin + SESSION_IDLE_DAYS * DAY_MS);
    expect(await directory.session("hash of ada")).not.toBeNull();
    expect(await directory.session("hash of bob")).toBeNull();
  });

  test("writes down that it was seen at most once a minute", async () => {
    const seen = async () => (await directory.sessions("id of ada", null))[0]?.lastSeenAt;
    at(begin + SESSION_SEEN_EVERY_MS - 1);
    await directory.session("hash of ada");
    expect(await seen()).toBe(begin);
    at(begin + SESSION_SEEN_EVERY_MS);
    await directory.session("hash of ada");
    expect(await seen()).toBe(begin + SESSION_SEEN_EVERY_MS);
  });

  test("ends when its person is disabled, and stays ended when they are enabled", async () => {
    await directory.signIn(signingIn("ada", session("second")));
    await directory.changePerson("id of ada", { disabled: true });
    expect(await hashes()).toEqual(["hash of bob"]);
    await directory.changePerson("id of ada", { disabled: false });
    expect(await directory.session("hash of ada")).toBeNull();
    expect(await directory.session("hash of bob")).not.toBeNull();
  });

  test("cannot become another person's", async () => {
    await runInDurableObject(stub as DurableObjectStub<Directory>, (instance) =>
      expect(instance.signIn(signingIn("bob", session("hash of ada")))).rejects.toThrow(
        "a session belongs to one person",
      ),
    );
    expect(await directory.session("hash of ada")).toMatchObject({ person: { id: "id of ada" } });
  });
});

describe("a person's sessions", () => {
  test("are listed without their hashes, the one seen last first, the current one marked", async () => {
    at(begin + 5 * 60_000);
    await directory.signIn(signingIn("ada", session("second")));
    const list = await directory.sessions("id of ada", "hash of ada");
    expect(list).toMatchObject([
      { agent: "Firefox on Linux", startedAt: begin + 5 * 60_000, current: false },
      { startedAt: begin, lastSeenAt: begin, current: true },
    ]);
    expect(JSON.stringify(list)).not.toMatch(/hash of|second/);
  });

  test("are ended by their own person alone, one or all", async () => {
    await directory.signIn(signingIn("ada", session("second")));
    const [newest] = await directory.sessions("id of ada", null);
    const id = newest?.id ?? "";
    expect(await directory.endSession("id of bob", id)).toBe(false);
    expect(await directory.sessions("id of ada", null)).toHaveLength(2);
    expect(await directory.endSession("id of ada", id)).toBe(true);
    expect(await directory.endSession("id of ada", id)).toBe(false);
    expect(await directory.sessions("id of ada", null)).toHaveLength(1);
    expect(await directory.endSession("id of ada", "all")).toBe(true);
    expect(await hashes()).toEqual(["hash of bob"]);
  });

  test("that are over are not listed, and are forgotten at the next sign-in", async () => {
    at(begin + SESSION_IDLE_DAYS * DAY_MS);
    expect(await directory.sessions("id of ada", null)).toEqual([]);
    await directory.signIn(signingIn("ada", session("second")));
    expect(await hashes()).toEqual(["hash of bob", "second"]);
  });

  test("are no more than there may be: the one seen longest ago makes room", async () => {
    const [oldest] = await directory.sessions("id of ada", null);
    const madeRoom: string[] = [];
    for (let index = 1; index <= SESSIONS_MOST; index += 1) {
      at(begin + index);
      const signedIn = await directory.signIn(signingIn("ada", session(`session ${index}`)));
      if (signedIn.outcome === "signed_in") madeRoom.push(...signedIn.madeRoom);
    }
    expect(madeRoom).toEqual([oldest?.id]);
    expect(await directory.sessions("id of ada", null)).toHaveLength(SESSIONS_MOST);
    expect(await directory.session("hash of ada")).toBeNull();
    expect(await directory.session("session 1")).not.toBeNull();
    expect(await directory.session("hash of bob")).not.toBeNull();
  });
});
