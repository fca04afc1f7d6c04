// The admin API: what each route does, that a repeat does nothing more, and what it writes down.
import { describe, expect, test } from "vitest";
import { admin, audit, call, errorOf, newPerson, read, view } from "./calling.ts";

interface KeyAnswer {
  id: string;
  key: string | null;
  name: string;
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.org`;
}

describe("people", () => {
  test("are added by their address, once, whatever its letters' case", async () => {
    const email = newEmail();
    const first = await read<{ id: string }>(admin("POST", "/people", { email }));
    expect(first).toMatchObject({ email, role: "member", disabled: false });
    expect(await read(admin("POST", "/people", { email: email.toUpperCase() }))).toEqual(first);
    const other = admin("POST", "/people", { email, role: "admin" });
    expect(await errorOf(other)).toMatchObject({ status: 409, code: "idempotency_conflict" });
    const added = { who: "operator", what: "person.add", detail: { email, role: "member" } };
    expect(await audit(first.id)).toEqual([added]);
  });

  test("are listed in pages, and found by their address", async () => {
    const email = newEmail();
    await read(admin("POST", "/people", { email }));
    await read(admin("POST", "/people", { email: newEmail() }));
    const found = await read<{ data: object[] }>(admin("GET", `/people?email=${email}`));
    expect(found).toMatchObject({ object: "list", data: [{ email }], next: null });
    let after = "";
    const seen: string[] = [];
    do {
      const path = `/people?limit=1${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`;
      const page = await read<{ data: { email: string }[]; next: string | null }>(
        admin("GET", path),
      );
      seen.push(...page.data.map((person) => person.email));
      after = page.next ?? "";
    } while (after !== "");
    expect(seen).toContain(email);
    expect(seen).toEqual([...new Set(seen)].sort());
  });

  test("are shown with tokens, limits, Grants and this month's usage", async () => {
    const person = await newPerson({ tokens: 50, limits: { waiting: 2 } });
    expect(await view(person)).toMatchObject({
      ...{ id: person.id, role: "member", disabled: false, running: 0, waiting: 0 },
      tokens: { granted: 50, spent: 0, held: 0, available: 50 },
      limits: { running: 16, waiting: 2, starts_per_minute: 600 },
      grants: [{ tokens: 50, note: "", expires_at: null, used: 0, lapsed: 0 }],
      usage: { totals: { requests: 0 } },
      unreported: { requests: 0, at_most_tokens: 0, unclaimed_tokens: 0 },
    });
  });

  test("are changed in the Directory and in their Account alike", async () => {
    const person = await newPerson();
    const change = { role: "admin", disabled: true, limits: { running: 1 } };
    const changed = await read(admin("PATCH", `/people/${person.id}`, change));
    expect(changed).toMatchObject({ role: "admin", disabled: true, limits: { running: 1 } });
    expect((await call("/v1/account", { key: person.key })).status).toBe(403);
    const [last] = (await audit(person.id)).slice(-1);
    expect(last).toMatchObject({ what: "person.change", detail: { role: "admin", running: 1 } });
  });
});

describe("a Grant", () => {
  test("with an id is given once; other content is a conflict", async () => {
    const person = await newPerson({ tokens: 0 });
    const path = `/people/${person.id}/grants`;
    const grant = { id: "first", tokens: 100, note: "welcome" };
    const given = await read(admin("POST", path, grant));
    expect(given).toMatchObject({ tokens: 100, note: "welcome", used: 0 });
    expect(await read(admin("POST", path, grant))).toEqual(given);
    expect(await errorOf(admin("POST", path, { ...grant, tokens: 101 }))).toMatchObject({
      ...{ status: 409, code: "idempotency_conflict", retry: "false" },
    });
    expect((await view(person)).tokens.granted).toBe(100);
    expect((await audit(person.id)).filter(({ what }) => what === "tokens.grant")).toEqual([
      { who: "operator", what: "tokens.grant", detail: { tokens: 100, note: "welcome" } },
    ]);
  });

  test("without an id is another one each time", async () => {
    const person = await newPerson({ tokens: 0 });
    for (const _ of [1, 2]) await read(admin("POST", `/people/${person.id}/grants`, { tokens: 5 }));
    expect((await view(person)).tokens.granted).toBe(10);
  });

  test("of the same id to two people is two Grants", async () => {
    const people = [await newPerson({ tokens: 0 }), await newPerson({ tokens: 0 })];
    for (const { id } of people) {
      await read(admin("POST", `/people/${id}/grants`, { id: "first", tokens: 5 }));
    }
    for (const person of people) expect((await view(person)).tokens.granted).toBe(5);
  });
});

describe("a key", () => {
  test("is shown once; a repeat with its id gets the record without it, and one row", async () => {
    const person = await newPerson();
    const path = `/people/${person.id}/keys`;
    const minting = { id: "second", name: "sweeps", monthly_token_limit: 100 };
    const first = await read<KeyAnswer>(admin("POST", path, minting));
    expect((await call("/v1/account", { key: first.key })).status).toBe(200);
    const again = await read<KeyAnswer>(admin("POST", path, minting));
    expect(again).toEqual({ ...first, key: null });
    for (const other of [{ name: "x" }, { scope: "admin" }, { monthly_token_limit: 101 }]) {
      expect(await errorOf(admin("POST", path, { ...minting, ...other }))).toMatchObject({
        ...{ status: 409, code: "idempotency_conflict" },
      });
    }
    expect((await audit(person.id)).filter(({ what }) => what === "key.mint")).toHaveLength(2);
    expect(JSON.stringify(await audit(person.id))).not.toContain(first.key);
  });

  test("is listed without its secret", async () => {
    const person = await newPerson();
    const list = await read<{ data: object[] }>(admin("GET", `/people/${person.id}/keys`));
    expect(list).toMatchObject({ object: "list", data: [{ id: person.keyId, name: "key" }] });
    expect(JSON.stringify(list)).not.toContain(person.key);
  });

  test("is renamed, limited and given an expiry by its id alone", async () => {
    const person = await newPerson();
    const change = { name: "renamed", monthly_token_limit: 7, expires_at: "2100-01-01T00:00:00Z" };
    const changed = await read(admin("PATCH", `/keys/${person.keyId}`, change));
    expect(changed).toMatchObject({ name: "renamed", monthly_token_limit: 7 });
    const cleared = { monthly_token_limit: null, expires_at: null };
    expect(await read(admin("PATCH", `/keys/${person.keyId}`, cleared))).toMatchObject({
      ...{ name: "renamed", ...cleared },
    });
  });

  test("is worthless from its revocation on, and keeps the first reason", async () => {
    const person = await newPerson();
    const revoke = (reason: string) =>
      read(admin("POST", `/keys/${person.keyId}/revoke`, { reason }));
    const first = await revoke("leaked");
    expect(first).toMatchObject({ revoked_why: "leaked" });
    expect(await revoke("other")).toEqual(first);
    expect((await call("/v1/account", { key: person.key })).status).toBe(401);
    expect((await audit(person.id)).filter(({ what }) => what === "key.revoke")).toMatchObject([
      { detail: { reason: "leaked" } },
    ]);
  });
});

describe("the audit log", () => {
  test("names the Admin who did it", async () => {
    const doer = await newPerson({ role: "admin", scope: "admin" });
    const email = newEmail();
    const { id } = await read<{ id: string }>(admin("POST", "/people", { email }, doer.key));
    expect(await audit(id)).toMatchObject([{ who: doer.id, what: "person.add" }]);
  });
});

describe("a wrong call of the admin API", () => {
  const nobody = "0".repeat(16);

  test.each([
    ["GET", `/people/${nobody}`, undefined],
    ["PATCH", `/people/${nobody}`, { disabled: true }],
    ["POST", `/people/${nobody}/grants`, { tokens: 1 }],
    ["GET", `/people/${nobody}/keys`, undefined],
    ["POST", `/people/${nobody}/keys`, { name: "x" }],
    ["PATCH", `/keys/key_${nobody}_x`, { name: "x" }],
    ["POST", `/keys/key_${nobody}_x/revoke`, { reason: "x" }],
    ["POST", "/keys/nonsense/revoke", { reason: "x" }],
  ])("%s %s finds nobody", async (method, path, body) => {
    const error = { status: 404, code: "not_found" };
    expect(await errorOf(admin(method, path, body))).toMatchObject(error);
  });

  test.each([
    ["/people", { email: "nobody" }, "email"],
    ["/people", { email: "a@example.org", role: "owner" }, "role"],
    ["/people", { email: "a@example.org", admin: true }, "admin"],
    ["/people/{id}/grants", { tokens: 0 }, "tokens"],
    ["/people/{id}/grants", { tokens: 1.5 }, "tokens"],
    ["/people/{id}/grants", { tokens: "5" }, "tokens"],
    ["/people/{id}/grants", { tokens: 5, id: "Not An Id" }, "id"],
    ["/people/{id}/grants", { tokens: 5, expires_at: "tomorrow" }, "expires_at"],
    ["/people/{id}/keys", { name: " " }, "name"],
    ["/people/{id}/keys", { name: "x", scope: "all" }, "scope"],
    ["/keys/{key}/revoke", {}, "reason"],
  ])("POST %s with %j is refused by the field's name", async (path, body, param) => {
    const { id, keyId } = await newPerson({ tokens: 0 });
    const rows = (await audit(id)).length;
    const asked = path.replace("{id}", id).replace("{key}", keyId);
    const error = await errorOf(admin("POST", asked, body));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(await audit(id)).toHaveLength(rows);
  });

  test("that changes nothing it may not: another person's limits are refused by name", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const wrong = { limits: { running: 0 } };
    expect(await errorOf(admin("PATCH", `/people/${id}`, wrong))).toMatchObject({
      param: "limits.running",
    });
  });

  test("has a small body, or is refused", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const body = { tokens: 1, note: "x".repeat(70_000) };
    const path = `/people/${id}/grants`;
    expect(await errorOf(admin("POST", path, body))).toMatchObject({ status: 413 });
  });
});
