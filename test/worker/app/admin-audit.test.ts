import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { directoryOf } from "../../../src/durable-objects/objects.ts";
import { newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let admin: Visitor;
let person: Visitor;

beforeAll(async () => {
  admin = await newVisitor({ role: "admin" });
  person = await newVisitor();
  await row("one", { what: "tokens.grant", detail: { tokens: 50_000, note: "for <b>you</b>" } });
  await row("two", { what: "spend.change", whom: null, detail: { limitUsd: 1234.5 } });
  await row("three", { what: "person.change", detail: { disabled: true } });
});

async function row(id: string, change: object): Promise<void> {
  await directoryOf(env).record({
    ...{ id, at: Date.now(), who: admin.id, what: "key.revoke", whom: person.id, detail: {} },
    ...change,
  });
}

async function shown(query: Record<string, string> = {}): Promise<string> {
  return words(admin.get(`/admin/audit?${new URLSearchParams(query)}`));
}

describe("the audit log", () => {
  test("says who did what to whom, with details that can be read", async () => {
    const page = await shown();
    const { email } = person;
    expect(page).toContain(
      `${admin.email} gave tokens ${email} tokens 50,000 note for &lt;b&gt;you&lt;/b&gt;`,
    );
    expect(page).toContain("changed the Spend limit nobody limit $1,234.50");
    expect(page).toContain(`changed a person ${email} disabled yes`);
    expect(page).toContain(`the operator added a person ${email}`);
  });

  test("is filtered by who, what and whom", async () => {
    const { email } = person;
    const byWhom = await shown({ whom: email.toUpperCase() });
    expect(byWhom).toContain("gave tokens");
    expect(byWhom).not.toContain("limit $1,234.50");
    const all = await shown({ who: admin.email, what: "tokens.grant", whom: email });
    expect(all).toContain("50,000");
    expect(all).not.toContain("disabled yes");
    expect(await shown({ who: "operator", what: "tokens.grant", whom: email })).toContain(
      "No row fits.",
    );
  });

  test("by an address that nobody has says so, and shows no row", async () => {
    const page = await shown({ whom: "nobody@example.org" });
    expect(page).toContain("Nobody has this address.");
    expect(page).toContain("No row fits.");
  });

  test("has pages, and goes on where the last one ended", async () => {
    const other = await newVisitor();
    for (let count = 0; count < 60; count++) {
      await row(`many ${count}`, { whom: other.id, detail: { count } });
    }
    const path = `/admin/audit?${new URLSearchParams({ whom: other.email })}`;
    const first = await (await admin.get(path)).text();
    const next = /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(first.match(/<tr>/g)).toHaveLength(51);
    const second = await words(admin.get(next));
    expect(second).toContain("count 0");
    expect(second).not.toContain("count 59");
    expect(second).toContain("First page");
  });

  test("has no form that changes anything, and is for Admins alone", async () => {
    const html = await (await admin.get("/admin/audit")).text();
    const main = html.slice(html.indexOf("<main"));
    expect(main).not.toContain('method="post"');
    expect((await person.get("/admin/audit")).status).toBe(403);
    expect((await stranger.get("/admin/audit")).status).toBe(303);
    expect((await admin.post("/admin/audit")).status).toBe(404);
  });
});
