// Changes of the admin API that are repeated by their id, and expiries that have passed.
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { accountOf } from "../../src/durable-objects/objects.ts";
import { admin, audit, errorOf, newPerson, type Person, read, view } from "./calling.ts";

const conflict = { status: 409, code: "idempotency_conflict" };
const isOver = { status: 400, code: "invalid_request", param: "expires_at" };

async function rowsOf(person: Person, what: string) {
  return (await audit(person.id)).filter((row) => row.what === what);
}

describe("a person's change with an id", () => {
  test("is done and written down once, and its late repeat undoes nothing", async () => {
    const person = await newPerson();
    const path = `/people/${person.id}`;
    const change = { id: "leave", disabled: true, limits: { running: 2, waiting: 3 } };
    const first = await read(admin("PATCH", path, change));
    expect(first).toMatchObject({ disabled: true, limits: { running: 2, waiting: 3 } });
    expect(await read(admin("PATCH", path, change))).toEqual(first);
    await read(admin("PATCH", path, { id: "back", disabled: false }));
    expect(await read(admin("PATCH", path, change))).toMatchObject({ disabled: false });
    expect(await view(person)).toMatchObject({ disabled: false });
    expect((await rowsOf(person, "person.change")).map(({ detail }) => detail)).toEqual([
      { disabled: true, running: 2, waiting: 3 },
      { disabled: false },
    ]);
  });

  test("is a conflict with other content, which changes nothing", async () => {
    const person = await newPerson();
    const path = `/people/${person.id}`;
    await read(admin("PATCH", path, { id: "once", limits: { running: 2 } }));
    for (const other of [{ limits: { running: 3 } }, { limits: { waiting: 2 } }, { role: "admin" }])
      expect(await errorOf(admin("PATCH", path, { id: "once", ...other }))).toMatchObject(conflict);
    expect(await view(person)).toMatchObject({ role: "member", limits: { running: 2 } });
    expect(await rowsOf(person, "person.change")).toHaveLength(1);
  });

  test("is another person's own under the same id", async () => {
    for (const person of [await newPerson(), await newPerson()]) {
      const change = { id: "first", disabled: true };
      expect(await read(admin("PATCH", `/people/${person.id}`, change))).toMatchObject({
        disabled: true,
      });
      expect(await rowsOf(person, "person.change")).toHaveLength(1);
    }
  });

  test("has a row each time without an id", async () => {
    const person = await newPerson();
    const change = { limits: { running: 2 } };
    for (const _ of [1, 2]) await read(admin("PATCH", `/people/${person.id}`, change));
    expect(await rowsOf(person, "person.change")).toHaveLength(2);
  });
});

describe("a key's change with an id", () => {
  test("is done and written down once, and its late repeat undoes nothing", async () => {
    const person = await newPerson();
    const path = `/keys/${person.keyId}`;
    const change = { id: "first", name: "renamed", monthly_token_limit: 7 };
    const first = await read(admin("PATCH", path, change));
    expect(await read(admin("PATCH", path, change))).toEqual(first);
    await read(admin("PATCH", path, { id: "second", monthly_token_limit: null }));
    expect(await read(admin("PATCH", path, change))).toMatchObject({
      ...{ name: "renamed", monthly_token_limit: null },
    });
    const keyId = person.keyId;
    expect((await rowsOf(person, "key.change")).map(({ detail }) => detail)).toEqual([
      { keyId, name: "renamed", monthlyTokenLimit: 7 },
      { keyId, monthlyTokenLimit: null },
    ]);
  });

  test("is a conflict with other content, which changes nothing", async () => {
    const person = await newPerson();
    const path = `/keys/${person.keyId}`;
    const first = await read(admin("PATCH", path, { id: "once", name: "first" }));
    const other = { id: "once", name: "other" };
    expect(await errorOf(admin("PATCH", path, other))).toMatchObject(conflict);
    expect(await read(admin("GET", `/people/${person.id}/keys`))).toMatchObject({ data: [first] });
  });

  test.each(["/people/{id}", "/keys/{key}"])("PATCH %s takes no id that is none", async (path) => {
    const { id, keyId } = await newPerson({ tokens: 0 });
    const asked = path.replace("{id}", id).replace("{key}", keyId);
    const error = await errorOf(admin("PATCH", asked, { id: "Not An Id" }));
    expect(error).toMatchObject({ status: 400, param: "id" });
  });
});

describe("an expiry that has passed", () => {
  const past = "2020-01-01T00:00:00Z";

  test("is refused by name for a Grant and for a key, new or changed", async () => {
    const person = await newPerson({ tokens: 0 });
    const rows = await audit(person.id);
    for (const expires_at of [past, new Date().toISOString()]) {
      const grant = { id: "grant", tokens: 5, expires_at };
      const grants = `/people/${person.id}/grants`;
      expect(await errorOf(admin("POST", grants, grant))).toMatchObject(isOver);
      const key = { id: "key", name: "x", expires_at };
      const keys = `/people/${person.id}/keys`;
      expect(await errorOf(admin("POST", keys, key))).toMatchObject(isOver);
      const change = { id: "change", expires_at };
      expect(await errorOf(admin("PATCH", `/keys/${person.keyId}`, change))).toMatchObject(isOver);
    }
    expect(await view(person)).toMatchObject({ tokens: { granted: 0 }, grants: [] });
    expect(await accountOf(env, person.id).keys()).toMatchObject([{ expiresAt: null }]);
    expect(await audit(person.id)).toEqual(rows);
  });

  test("is no reason to refuse the repeat of a Grant or a key of that time", async () => {
    const person = await newPerson({ tokens: 0 });
    const account = accountOf(env, person.id);
    const expiresAt = Date.parse(past);
    const grant = { id: `grant_${person.id}_old`, tokens: 5, note: "", expiresAt };
    await account.grant(grant);
    const grants = `/people/${person.id}/grants`;
    const given = { id: "old", tokens: 5, expires_at: past };
    expect(await read(admin("POST", grants, given))).toMatchObject({ id: grant.id, tokens: 5 });
    expect(await errorOf(admin("POST", grants, { ...given, tokens: 6 }))).toMatchObject(conflict);

    const keys = `/people/${person.id}/keys`;
    const { id } = await read<{ id: string }>(admin("POST", keys, { id: "old", name: "old" }));
    await account.changeKey(id, { expiresAt });
    const minting = { id: "old", name: "old", expires_at: past };
    expect(await read(admin("POST", keys, minting))).toMatchObject({ id, key: null });
  });

  test("is no reason to refuse the repeat of a key's change", async () => {
    const person = await newPerson({ tokens: 0 });
    const path = `/keys/${person.keyId}`;
    const expiresAt = Date.now() + 1_000;
    const change = { id: "soon", expires_at: new Date(expiresAt).toISOString() };
    const first = await read(admin("PATCH", path, change));
    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt });
    const again = await read(admin("PATCH", path, change));
    const fresh = await errorOf(admin("PATCH", path, { ...change, id: "late" }));
    vi.useRealTimers();
    expect(again).toEqual(first);
    expect(fresh).toMatchObject(isOver);
  });
});
