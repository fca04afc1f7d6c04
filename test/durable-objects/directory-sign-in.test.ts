// Who gets past the door: by an invite once, then by the subject at the provider alone.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SignIn } from "../../src/contract/directory.ts";
import { INVITE_DAYS } from "../../src/contract/limits.ts";
import { directory, empty, person, session, signingIn, stub } from "./directory-under-test.ts";

const DAY_MS = 86_400_000;
const begin = Date.UTC(2026, 10, 29);

function at(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: ms });
}

function outcome({ outcome }: SignIn): string {
  return outcome;
}

beforeEach(async () => {
  at(begin);
  await empty();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("an invite", () => {
  test("lets its address in once, whatever its letters' case, and binds the subject", async () => {
    await directory.addPerson(person("ada"));
    expect(await directory.person("id of ada")).toMatchObject({
      ...{ invitedUntil: begin + INVITE_DAYS * DAY_MS, lastSignedInAt: null },
    });
    const signedIn = await directory.signIn(signingIn("ada", { email: "ADA@Example.org" }));
    const bound = { ...person("ada"), invitedUntil: null, lastSignedInAt: begin };
    expect(signedIn).toMatchObject({ outcome: "signed_in", first: true, person: bound });
    await evictDurableObject(stub);
    expect(await directory.person("id of ada")).toMatchObject(bound);
    expect(await directory.session("hash of ada")).toMatchObject({ person: bound });
  });

  test("counts to its last millisecond and no longer", async () => {
    await directory.addPerson(person("ada"));
    at(begin + INVITE_DAYS * DAY_MS);
    expect(outcome(await directory.signIn(signingIn("ada")))).toBe("invite_expired");
    expect(await directory.session("hash of ada")).toBeNull();
    at(begin + INVITE_DAYS * DAY_MS - 1);
    expect(outcome(await directory.signIn(signingIn("ada")))).toBe("signed_in");
  });

  test("that has expired is extended, and one that was used is not", async () => {
    await directory.addPerson(person("ada"));
    at(begin + 20 * DAY_MS);
    const invitedUntil = begin + (20 + INVITE_DAYS) * DAY_MS;
    const extended = await directory.invite("id of ada");
    expect(extended).toMatchObject({ ok: true, value: { invitedUntil } });
    expect(await directory.invite("id of ada")).toEqual(extended);
    expect(outcome(await directory.signIn(signingIn("ada")))).toBe("signed_in");
    expect(await directory.invite("id of ada")).toEqual({ ok: false, reason: "conflict" });
    expect(await directory.invite("id of nobody")).toEqual({ ok: false, reason: "unknown" });
  });

  test("is used by one of two who come at once with the same address", async () => {
    await directory.addPerson(person("ada"));
    const both = [
      directory.signIn(signingIn("ada", { sub: "one", ...session("of one") })),
      directory.signIn(signingIn("ada", { sub: "two", ...session("of two") })),
    ];
    const outcomes = (await Promise.all(both)).map(outcome);
    expect(outcomes.sort()).toEqual(["bound_to_another", "signed_in"]);
  });

  test("is nothing to an address that the provider has not verified", async () => {
    await directory.addPerson(person("ada"));
    const unverified = signingIn("ada", { emailVerified: false });
    expect(await directory.signIn(unverified)).toEqual({ outcome: "email_unverified" });
    expect(await directory.person("id of ada")).toMatchObject({ lastSignedInAt: null });
    expect(outcome(await directory.signIn(signingIn("ada")))).toBe("signed_in");
  });

  test("of a disabled person lets nobody in", async () => {
    await directory.addPerson(person("ada"));
    await directory.changePerson("id of ada", { disabled: true });
    expect(await directory.signIn(signingIn("ada"))).toEqual({ outcome: "disabled" });
  });
});

describe("somebody without an invite", () => {
  test("is not let in, and leaves nothing behind", async () => {
    await directory.addPerson(person("ada"));
    expect(await directory.signIn(signingIn("eve"))).toEqual({ outcome: "not_invited" });
    const kept = await runInDurableObject(stub, (_, { storage }) =>
      ["people", "subjects", "sessions", "audit"].map(
        (table) => storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).one().n,
      ),
    );
    expect(kept).toEqual([1, 0, 0, 0]);
  });
});

describe("a bound person", () => {
  beforeEach(async () => {
    await directory.addPerson(person("ada"));
    await directory.signIn(signingIn("ada"));
  });

  test("signs in by the subject, whatever the address is now and whether it is verified", async () => {
    at(begin + 100 * DAY_MS);
    for (const change of [{ email: "married@example.org" }, { emailVerified: false }]) {
      const again = signingIn("ada", { ...session(JSON.stringify(change)), ...change });
      expect(await directory.signIn(again)).toMatchObject({
        ...{ outcome: "signed_in", first: false },
        person: { id: "id of ada", lastSignedInAt: begin + 100 * DAY_MS },
      });
    }
  });

  test("is not somebody else who has the address, or the same subject elsewhere", async () => {
    const elsewhere = { issuer: "https://other.example.org", ...session("elsewhere") };
    for (const change of [{ sub: "another", ...session("another") }, elsewhere]) {
      expect(await directory.signIn(signingIn("ada", change))).toEqual({
        outcome: "bound_to_another",
      });
    }
    expect(await directory.session("another")).toBeNull();
    expect(await directory.session("elsewhere")).toBeNull();
  });

  test("who has another's address at the provider stays who they are", async () => {
    await directory.addPerson(person("bob"));
    const asBob = signingIn("ada", { email: "bob@example.org", ...session("second") });
    expect(await directory.signIn(asBob)).toMatchObject({ person: { id: "id of ada" } });
    expect(outcome(await directory.signIn(signingIn("bob")))).toBe("signed_in");
  });

  test("who is disabled is not let in, and is again once enabled", async () => {
    await directory.changePerson("id of ada", { disabled: true });
    const again = signingIn("ada", session("second"));
    expect(await directory.signIn(again)).toEqual({ outcome: "disabled" });
    await directory.changePerson("id of ada", { disabled: false });
    expect(await directory.signIn(again)).toMatchObject({ outcome: "signed_in", first: false });
  });

  test("whose sign-in is repeated has one session, and it is still the first", async () => {
    at(begin + 1_000);
    expect(await directory.signIn(signingIn("ada"))).toMatchObject({ first: true });
    expect(await directory.sessions("id of ada", null)).toHaveLength(1);
    const second = { first: false, person: { lastSignedInAt: begin + 1_000 } };
    expect(await directory.signIn(signingIn("ada", session("second")))).toMatchObject(second);
    expect(await directory.signIn(signingIn("ada"))).toMatchObject({
      ...{ first: true, person: { lastSignedInAt: begin + 1_000 } },
    });
  });
});

describe("the first Admin", () => {
  const firstAdmin = { id: "id of root" };

  test("is made at the sign-in when nobody has the address, once, and written down", async () => {
    const made = await directory.signIn(signingIn("root", { firstAdmin }));
    expect(made).toMatchObject({
      ...{ outcome: "signed_in", first: true },
      person: { ...person("root", "admin"), invitedUntil: null },
    });
    const again = signingIn("root", { firstAdmin: { id: "another id" }, ...session("second") });
    expect(await directory.signIn(again)).toMatchObject({ person: firstAdmin, first: false });
    const page = { who: null, whom: "id of root", what: null, after: null, limit: 10 };
    expect((await directory.audit(page)).rows).toMatchObject([
      { who: "id of root", what: "person.bind" },
      { who: "operator", what: "person.add", detail: { role: "admin" } },
    ]);
  });

  test("is not made of an address that is not verified", async () => {
    const unverified = signingIn("root", { firstAdmin, emailVerified: false });
    expect(await directory.signIn(unverified)).toEqual({ outcome: "email_unverified" });
    expect(await directory.person("id of root")).toBeNull();
  });

  test("who was added as a Member stays a Member", async () => {
    await directory.addPerson(person("ada"));
    const signedIn = await directory.signIn(signingIn("ada", { firstAdmin }));
    expect(signedIn).toMatchObject({ person: { id: "id of ada", role: "member" } });
  });
});
