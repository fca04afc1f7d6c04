import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { AuditEntry } from "../../src/contract/directory.ts";
import { allPages, directory, empty, person, stub } from "./directory-under-test.ts";

beforeEach(empty);

describe("a person", () => {
  test("is found by id from the moment they are added, also after an eviction", async () => {
    const added = await directory.addPerson(person("ada"));
    expect(added).toMatchObject({ ok: true, value: { ...person("ada"), disabled: false } });
    await evictDurableObject(stub);
    expect(await directory.person("id of ada")).toEqual(added.ok && added.value);
    expect(await directory.person("id of nobody")).toBeNull();
  });

  test("added again by the same address and role is the same person, with the first id", async () => {
    const first = await directory.addPerson(person("ada"));
    expect(await directory.addPerson({ ...person("ada"), id: "another id" })).toEqual(first);
    expect(await directory.person("another id")).toBeNull();
  });

  test("added again with another role is a conflict", async () => {
    await directory.addPerson(person("ada"));
    const conflict = { ok: false, reason: "conflict" };
    expect(await directory.addPerson(person("ada", "admin"))).toEqual(conflict);
    expect(await directory.person("id of ada")).toMatchObject({ role: "member" });
  });

  test("keeps what a change does not name", async () => {
    await directory.addPerson(person("ada"));
    const change = { role: "admin" as const };
    const changed = await directory.changePerson("id of ada", change);
    expect(changed).toMatchObject({ ok: true, value: { role: "admin", disabled: false } });
    expect(await directory.changePerson("id of ada", change)).toEqual(changed);
    await directory.changePerson("id of ada", { disabled: true });
    expect(await directory.person("id of ada")).toMatchObject({ role: "admin", disabled: true });
    const unknown = { ok: false, reason: "unknown" };
    expect(await directory.changePerson("id of nobody", change)).toEqual(unknown);
  });
});

describe("the list of people", () => {
  test("comes in pages by address, without gaps or repeats", async () => {
    for (const name of ["eve", "ada", "dan", "bob", "cat"]) await directory.addPerson(person(name));
    const { rows, pages } = await allPages((after) =>
      directory.people({ after, limit: 2, email: null }),
    );
    const names = rows.map(({ email }) => email);
    expect(names).toEqual(["ada", "bob", "cat", "dan", "eve"].map((name) => `${name}@example.org`));
    expect(pages).toBe(3);
  });

  test("ends with its last full page", async () => {
    for (const name of ["ada", "bob"]) await directory.addPerson(person(name));
    expect(await directory.people({ after: null, limit: 2, email: null })).toMatchObject({
      next: null,
    });
  });

  test("can be asked for one address", async () => {
    for (const name of ["ada", "bob"]) await directory.addPerson(person(name));
    const page = { after: null, limit: 200 };
    const found = await directory.people({ ...page, email: "bob@example.org" });
    expect(found).toMatchObject({ rows: [person("bob")], next: null });
    const nobody = await directory.people({ ...page, email: "nobody@example.org" });
    expect(nobody).toEqual({ rows: [], next: null });
  });
});

describe("people by their ids", () => {
  test("are those that there are", async () => {
    for (const name of ["ada", "bob"]) await directory.addPerson(person(name));
    const found = await directory.peopleByIds(["id of bob", "id of nobody", "operator"]);
    expect(found).toMatchObject([person("bob")]);
  });
});

describe("the audit log", () => {
  const entry: AuditEntry = {
    ...{ id: "tokens.grant 1", at: 1, who: "operator", what: "tokens.grant", whom: "id of ada" },
    detail: { tokens: 5, note: "" },
  };

  function rows() {
    return runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec("SELECT id, at, who, what, whom, detail FROM audit").toArray(),
    );
  }

  test("has one row for a deed that is repeated, as it was first written", async () => {
    await directory.record(entry);
    await directory.record({ ...entry, at: 2, who: "somebody else" });
    await evictDurableObject(stub);
    await directory.record({ ...entry, at: 3 });
    expect(await rows()).toEqual([{ ...entry, detail: '{"tokens":5,"note":""}' }]);
  });

  test("has a row for each deed, in their order", async () => {
    await directory.record(entry);
    await directory.record({ ...entry, id: "key.mint 1", what: "key.mint", whom: null });
    expect((await rows()).map(({ what }) => what)).toEqual(["tokens.grant", "key.mint"]);
  });

  test("is read newest first, in pages, by who did what to whom", async () => {
    for (const [number, what] of ["key.mint", "key.revoke", "key.mint"].entries()) {
      for (const who of ["operator", "id of root"]) {
        const id = `${what} ${who} ${number}`;
        await directory.record({ ...entry, id, at: number, who, what, whom: `id of ${number}` });
      }
    }
    const read = (filter: object) =>
      allPages((after) =>
        directory.audit({ who: null, whom: null, what: null, after, limit: 2, ...filter }),
      );
    const all = await read({});
    expect(all.pages).toBe(3);
    expect(all.rows.map(({ at }) => at)).toEqual([2, 2, 1, 1, 0, 0]);
    const newest = { id: "key.mint id of root 2", at: 2, who: "id of root", what: "key.mint" };
    expect(all.rows[0]).toEqual({ ...entry, ...newest, whom: "id of 2" });
    expect((await read({ who: "operator" })).rows.map(({ at }) => at)).toEqual([2, 1, 0]);
    expect((await read({ whom: "id of 1" })).rows.map(({ at }) => at)).toEqual([1, 1]);
    expect((await read({ what: "key.mint", who: "operator" })).rows.map(({ at }) => at)).toEqual([
      2, 0,
    ]);
    expect((await read({ what: "key.mint", whom: "id of 1" })).rows).toEqual([]);
  });
});
