// Who did what to whom, as Admins read it; and invites, which it tells of.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { INVITE_DAYS } from "../../src/contract/limits.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";
import { admin, call, errorOf, newPerson, type Person, read } from "./calling.ts";

interface AuditPage {
  data: {
    id: string;
    at: string;
    who: string;
    what: string;
    whom: string | null;
    detail: object;
  }[];
  next: string | null;
}

const DAY_MS = 86_400_000;

function audit(query: string, key?: string): Promise<AuditPage> {
  return read<AuditPage>(admin("GET", `/audit?${query}`, undefined, key));
}

/** The person's first sign-in, as their browser would have brought it. */
async function signIn({ id }: Person): Promise<void> {
  const email = (await directoryOf(env).person(id))?.email ?? "";
  const session = { hash: `hash of ${id}`, agent: "Firefox on Linux" };
  const subject = { issuer: "https://provider.example.org", sub: id };
  const request = { ...subject, email, emailVerified: true, firstAdmin: null, session };
  expect(await directoryOf(env).signIn(request)).toMatchObject({ outcome: "signed_in" });
}

describe("the audit log", () => {
  test("is read newest first, by who, whom and what", async () => {
    const root = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
    const person = await newPerson({ tokens: 7 });
    await read(admin("POST", `/people/${person.id}/grants`, { tokens: 5 }, root.key));
    const all = await audit(`whom=${person.id}`);
    expect(all.data.map(({ what }) => what)).toEqual([
      ...["tokens.grant", "key.mint", "tokens.grant", "person.add"],
    ]);
    expect(all.data[0]).toEqual({
      ...{ id: expect.any(String), at: expect.stringMatching(/^\d{4}-.*Z$/), who: root.id },
      ...{ what: "tokens.grant", whom: person.id, detail: { tokens: 5, note: "" } },
    });
    expect((await audit(`who=${root.id}`)).data).toEqual([all.data[0]]);
    const grants = await audit(`what=tokens.grant&whom=${person.id}&who=operator`);
    expect(grants.data).toMatchObject([{ detail: { tokens: 7 } }]);
    expect(await audit(`who=${person.id}`)).toEqual({ object: "list", data: [], next: null });
  });

  test("keeps a key out of whatever is written of why, and knows a repeat all the same", async () => {
    const { id, key, keyId } = await newPerson();
    await read(admin("POST", `/people/${id}/grants`, { tokens: 5, note: `for ${key}` }));
    const change = { id: "renamed", name: `was ${key}` };
    await read(admin("PATCH", `/keys/${keyId}`, change));
    await read(admin("PATCH", `/keys/${keyId}`, change));
    await read(admin("POST", `/keys/${keyId}/revoke`, { reason: `seen as ${key}` }));
    const rows = JSON.stringify([await audit(`whom=${id}`), await directoryOf(env).keyNotices(id)]);
    expect(rows).toContain("for ctn_…");
    expect(rows).toContain("was ctn_…");
    expect(rows).toContain("seen as ctn_…");
    expect(rows).not.toContain(key);
    const { message } = await errorOf(call("/v1/account", { key }));
    expect(message).toContain("(seen as ctn_…)");
  });

  test("comes in pages without gaps or repeats, also while rows are added", async () => {
    const person = await newPerson({ tokens: 7, limits: { running: 2 } });
    const seen: string[] = [];
    let after = "";
    do {
      const page = await audit(`whom=${person.id}&limit=1${after && `&after=${after}`}`);
      seen.push(...page.data.map(({ what }) => what));
      after = page.next ?? "";
      await read(admin("PATCH", `/people/${person.id}`, { limits: { running: 3 } }));
    } while (after !== "");
    expect(seen).toEqual(["key.mint", "person.change", "tokens.grant", "person.add"]);
  });

  test("has no key and no secret in it", async () => {
    const person = await newPerson({ tokens: 0 });
    expect(JSON.stringify(await audit(`whom=${person.id}`))).not.toContain(person.key);
  });

  test("is for Admins, and refuses a filter that is none by its name", async () => {
    const { key } = await newPerson({ tokens: 0 });
    const forbidden = { status: 403, code: "admin_required" };
    expect(await errorOf(admin("GET", "/audit", undefined, key))).toMatchObject(forbidden);
    for (const [query, param] of [
      ["after=x", "after"],
      ["limit=0", "limit"],
      ["email=x", "email"],
    ]) {
      const error = await errorOf(admin("GET", `/audit?${query}`));
      expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
    }
  });

  test("cannot be changed through the API", async () => {
    for (const method of ["POST", "PATCH", "DELETE"]) {
      const error = await errorOf(admin(method, "/audit", {}));
      expect(error).toMatchObject({ status: 405, code: "method_not_allowed" });
    }
  });
});

describe("an invite", () => {
  test("is shown until it was used, then the last sign-in is", async () => {
    const person = await newPerson({ tokens: 0 });
    const path = `/people/${person.id}`;
    const before = await read<{ invited_until: string }>(admin("GET", path));
    expect(before).toMatchObject({ last_signed_in_at: null });
    const days = (Date.parse(before.invited_until) - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(INVITE_DAYS - 0.1);
    expect(days).toBeLessThanOrEqual(INVITE_DAYS);
    await signIn(person);
    const after = await read<{ last_signed_in_at: string }>(admin("GET", path));
    expect(after).toMatchObject({ invited_until: null });
    expect(Date.parse(after.last_signed_in_at)).toBeLessThanOrEqual(Date.now());
  });

  test("is given again, once for each id, and written down", async () => {
    const person = await newPerson({ tokens: 0 });
    const path = `/people/${person.id}/invite`;
    const first = await read<{ invited_until: string }>(admin("POST", path, { id: "again" }));
    expect(await read(admin("POST", path, { id: "again" }))).toEqual(first);
    await read(admin("POST", path, {}));
    const rows = await audit(`whom=${person.id}&what=person.invite`);
    expect(rows.data).toHaveLength(2);
  });

  test("is none for somebody who has signed in, or whom nobody knows", async () => {
    const person = await newPerson({ tokens: 0 });
    await signIn(person);
    const refused = await errorOf(admin("POST", `/people/${person.id}/invite`, {}));
    expect(refused).toMatchObject({ status: 409, code: "conflict" });
    const nobody = await errorOf(admin("POST", `/people/${"0".repeat(16)}/invite`, {}));
    expect(nobody).toMatchObject({ status: 404, code: "not_found" });
    expect((await audit(`whom=${person.id}&what=person.invite`)).data).toEqual([]);
  });

  test("is an Admin's to give", async () => {
    const { id, key } = await newPerson({ tokens: 0 });
    const error = await errorOf(admin("POST", `/people/${id}/invite`, {}, key));
    expect(error).toMatchObject({ status: 403, code: "admin_required" });
  });
});
