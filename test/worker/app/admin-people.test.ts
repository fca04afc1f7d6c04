import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { accountOf, directoryOf } from "../../../src/durable-objects/objects.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let admin: Visitor;

beforeAll(async () => {
  admin = await newVisitor({ role: "admin" });
});

function uniqueAddress(begin = "p"): string {
  return `${begin}-${crypto.randomUUID()}@example.org`;
}

/** Later than what the Account itself says meanwhile. */
function tellOf(personId: string, { month }: { month: string }): Promise<void> {
  const now = Date.now();
  const figures = { spentThisMonth: 678, granted: 12_345, available: 11_667, lastUsedAt: now };
  return directoryOf(env).rollUp({ personId, at: now + 3_600_000, month, ...figures });
}

describe("the list of people", () => {
  test("shows address, role, state, last sign-in, and what the Account last said", async () => {
    const email = uniqueAddress("listed");
    const { id: personId } = await newVisitor({ email });
    await tellOf(personId, { month: new Date().toISOString().slice(0, 7) });
    const shown = await words(admin.get("/admin/people?begin=listed-"));
    expect(shown).toContain(`${email} Member active now now 678 11,667 of 12,345`);
  });

  test("shows nothing spent this month by whoever spent it before", async () => {
    const email = uniqueAddress("rested");
    const { id: personId } = await newVisitor({ email });
    await tellOf(personId, { month: "2001-01" });
    const shown = await words(admin.get("/admin/people?begin=rested-"));
    expect(shown).toContain(`${email} Member active now now 0 11,667 of 12,345`);
  });

  test("finds by the address's beginning, also the whole address, in any case", async () => {
    const email = uniqueAddress("findme");
    await newVisitor({ email });
    for (const begin of ["FindMe-", email]) {
      expect(await words(admin.get(`/admin/people?begin=${begin}`))).toContain(email);
    }
    const nobody = await words(admin.get("/admin/people?begin=zzz-nobody"));
    expect(nobody).toContain("No address begins so.");
  });

  // Each row asks its Account, and a hundred new objects take seconds on a busy machine.
  test("of 10,000 people is read by pages of 50, each once", { timeout: 30_000 }, async () => {
    await runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
         INSERT INTO people (id, email, role, disabled, created_at)
         SELECT printf('many%012d', i), printf('many%05d@example.org', i), 'member', 0, 0 FROM n`,
      );
    });
    const seen: string[] = [];
    let path: string | undefined = "/admin/people?begin=many000";
    while (path !== undefined) {
      const html: string = await (await admin.get(path)).text();
      const found = [...html.matchAll(/title="(many\d+@example\.org)"/g)].map(([, email]) => email);
      expect(found).toHaveLength(50);
      seen.push(...found.filter((email) => email !== undefined));
      path = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(new Set(seen).size).toBe(100);
    expect(seen.at(-1)).toBe("many00099@example.org");
  });
});

describe("an invite", () => {
  test("adds the person, and leads to their page", async () => {
    const email = uniqueAddress();
    const answer = await admin.post("/admin/people", { email: ` ${email} `, role: "admin" });
    const shown = await followed(admin, answer);
    expect(shown).toContain(email);
    expect(shown).toContain("This address may sign in.");
    expect(shown).toMatch(/State invited, ends in 13 days|State invited, ends in 2 weeks/);
  });

  test("sent twice is one person", async () => {
    const email = uniqueAddress();
    const send = () => admin.post("/admin/people", { email, role: "member" });
    const [one, other] = await Promise.all([send(), send()]);
    expect(one.headers.get("location")).toBe(other.headers.get("location"));
  });

  test.each([
    ["nobody", "Write an e-mail address"],
    ["", "Write an e-mail address"],
    [`${"a".repeat(200)}@example.org`, "Write at most 200 characters."],
  ])("of %j says what to write, and keeps what was written", async (email, why) => {
    const answer = await admin.post("/admin/people", { email, role: "admin" });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain(why);
    expect(html).toContain(`value="${email}"`);
  });

  test("of an address that is there with the other role says so, and changes nothing", async () => {
    const person = await newVisitor();
    const answer = await admin.post("/admin/people", { email: person.email, role: "admin" });
    expect(answer.status).toBe(409);
    expect(await words(answer)).toContain("is there already, with the other role");
    expect((await directoryOf(env).person(person.id))?.role).toBe("member");
  });
});

describe("security", () => {
  const id = "0123456789abcdef";
  const pages = [
    "/admin/people",
    "/admin/people/invite",
    `/admin/people/${id}`,
    `/admin/people/${id}/disable`,
  ];
  const forms = ["grants", "limits", "role", "invite", "disable", "enable"].map(
    (verb) => `/admin/people/${id}/${verb}`,
  );

  test.each(pages)(
    "%s is for Admins: a Member reads who may, a stranger signs in",
    async (path) => {
      const member = await newVisitor();
      const refused = await member.get(path);
      expect(refused.status).toBe(403);
      expect(await words(refused)).toContain("Only an Admin may open this page.");
      const away = await stranger.get(path);
      expect(away.status).toBe(303);
      expect(away.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    },
  );

  test.each(["/admin/people", ...forms])(
    "%s takes no form of a Member, a stranger or another site",
    async (path) => {
      const member = await newVisitor();
      const form = { id: "a", email: uniqueAddress(), role: "admin", tokens: "5" };
      expect((await member.post(path, form)).status).toBe(403);
      expect((await stranger.post(path, form)).status).toBe(401);
      expect((await admin.post(path, form, "https://evil.test")).status).toBe(403);
      const found = await directoryOf(env).people({ after: null, limit: 1, email: form.email });
      expect(found.rows).toEqual([]);
    },
  );

  test.each([`/admin/people/${id}`, `/admin/people/${id}/disable`, "/admin/keys/key_x/revoke"])(
    "%s of nobody is not found, and no Account is made",
    async (path) => {
      expect((await admin.get(path)).status).toBe(404);
      expect((await admin.post(path, { id: "a", reason: "r" })).status).toBe(404);
      expect(await accountOf(env, id).snapshot()).toBeNull();
    },
  );

  test("an Admin whose role is taken away is a Member at the next request", async () => {
    const former = await newVisitor({ role: "admin" });
    expect((await former.get("/admin/people")).status).toBe(200);
    await admin.post(`/admin/people/${former.id}/role`, { id: "a", role: "member" });
    expect((await former.get("/admin/people")).status).toBe(403);
  });
});
