import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { accountOf, directoryOf } from "../../../src/durable-objects/objects.ts";
import { audit } from "../calling.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let admin: Visitor;
let otherAdmin: Visitor;

beforeAll(async () => {
  admin = await newVisitor({ role: "admin" });
  otherAdmin = await newVisitor({ role: "admin" });
});

/** A person with one open request, and its path. */
async function asking(tokens = 50_000, reason = "to sample a grammar"): Promise<Asking> {
  const person = await newVisitor();
  const id = `request_${person.id}_a`;
  await directoryOf(env).askForTokens({ id, personId: person.id, tokens, reason });
  return { person, id, path: `/admin/requests/${id}` };
}

interface Asking {
  person: Visitor;
  id: string;
  path: string;
}

async function granted({ person }: Asking): Promise<number[]> {
  return (await accountOf(env, person.id).grants()).map(({ tokens }) => tokens);
}

async function stateOf({ id }: Asking) {
  const request = await directoryOf(env).tokenRequest(id);
  return request?.state;
}

describe("the inbox", () => {
  test("shows who asks for how much and why, and what they have and use", async () => {
    const asked = await asking(1_234_567, "a <b>long</b> sweep");
    const now = Date.now();
    await directoryOf(env).rollUp({
      ...{ personId: asked.person.id, at: now + 3_600_000, lastUsedAt: now },
      ...{ month: new Date(now).toISOString().slice(0, 7), spentThisMonth: 679 },
      ...{ granted: 5_000, available: 4_321 },
    });
    const shown = await words(admin.get("/admin/requests"));
    expect(shown).toContain(asked.person.email);
    expect(shown).toContain("asked for 1,234,567 tokens");
    expect(shown).toContain("a &lt;b&gt;long&lt;/b&gt; sweep");
    expect(shown).toContain("Available now 4,321 tokens Used this month 679 tokens");
  });

  test("says in the nav how many are open", async () => {
    await asking();
    const open = await directoryOf(env).openTokenRequests();
    const html = await (await admin.get("/admin/spend")).text();
    expect(html).toContain(`<span class="badge">${open}<span class="for-readers"> open</span>`);
  });

  test("has pages, each with as many as are quick to read", async () => {
    await Promise.all(Array.from({ length: 11 }, () => asking()));
    const html = await (await admin.get("/admin/requests")).text();
    expect(html.match(/<article/g)).toHaveLength(10);
    const next = /href="(\/admin\/requests\?open=[^"]+)"/.exec(html)?.[1] ?? "";
    const second = await (await admin.get(next)).text();
    expect(second.match(/<article/g)?.length).toBeGreaterThan(0);
    expect(second).toContain('href="/admin/requests">First page');
  });
});

describe("Approve", () => {
  test("gives as many tokens as the Admin says, with the note, and says so", async () => {
    const asked = await asking(50_000);
    const answer = await admin.post(`${asked.path}/approve`, { tokens: "20,000", note: "a start" });
    const shown = await followed(admin, answer);
    expect(shown).toContain(`The request of ${asked.person.email} is approved with 20,000 tokens.`);
    expect(await granted(asked)).toEqual([20_000]);
    expect(await directoryOf(env).tokenRequest(asked.id)).toMatchObject({
      ...{ state: "approved", granted: 20_000, note: "a start", decidedBy: admin.id },
    });
    expect((await audit(asked.person.id)).at(-1)).toMatchObject({
      ...{ who: admin.id, what: "request.approve" },
    });
  });

  test("pressed twice at once is one Grant", async () => {
    const asked = await asking();
    const press = () => admin.post(`${asked.path}/approve`, { tokens: "500", note: "" });
    const [one, other] = await Promise.all([press(), press()]);
    expect(await followed(admin, one)).toContain("is approved with 500 tokens.");
    expect(await followed(admin, other)).toContain("is approved with 500 tokens.");
    expect(await granted(asked)).toEqual([500]);
    const rows = (await audit(asked.person.id)).filter(({ what }) => what === "request.approve");
    expect(rows).toHaveLength(1);
  });

  test("by two Admins with other amounts is the first one's Grant, and the other is told whose", async () => {
    const asked = await asking();
    await admin.post(`${asked.path}/approve`, { tokens: "500", note: "" });
    const late = await otherAdmin.post(`${asked.path}/approve`, { tokens: "900", note: "" });
    expect(await followed(otherAdmin, late)).toContain(
      `${admin.email} decided first: the request of ${asked.person.email} is approved with 500 tokens.`,
    );
    expect(await granted(asked)).toEqual([500]);
  });

  test.each([
    ["0", "Write at least 1 token."],
    ["-5", "Write a whole number, such as 1,000,000."],
    ["1.5", "Write a whole number, such as 1,000,000."],
    ["", "Write a whole number, such as 1,000,000."],
    ["1000000000001", "Write at most 1,000,000,000,000 tokens."],
  ])(
    "of %j tokens says what to write, keeps the note, and decides nothing",
    async (tokens, why) => {
      const asked = await asking();
      const answer = await admin.post(`${asked.path}/approve`, { tokens, note: "my note" });
      expect(answer.status).toBe(400);
      const shown = await words(answer);
      expect(shown).toContain(why);
      expect(shown).toContain("my note");
      expect(await stateOf(asked)).toBe("open");
      expect(await granted(asked)).toEqual([]);
    },
  );

  test("after the person withdrew says so, and gives nothing", async () => {
    const asked = await asking();
    await directoryOf(env).withdrawTokenRequest(asked.person.id, asked.id);
    const answer = await admin.post(`${asked.path}/approve`, { tokens: "500", note: "" });
    expect(await followed(admin, answer)).toContain("withdrew this request before you answered it");
    expect(await granted(asked)).toEqual([]);
  });
});

describe("Reject", () => {
  test("needs a note, which the person reads", async () => {
    const asked = await asking();
    const without = await admin.post(`${asked.path}/reject`, { tokens: "500", note: "  " });
    expect(without.status).toBe(400);
    expect(await words(without)).toContain("Write why: the person reads it.");
    expect(await stateOf(asked)).toBe("open");

    const answer = await admin.post(`${asked.path}/reject`, { tokens: "500", note: "too many" });
    expect(await followed(admin, answer)).toContain(`${asked.person.email} is rejected.`);
    expect(await directoryOf(env).tokenRequest(asked.id)).toMatchObject({
      ...{ state: "rejected", granted: null, note: "too many", decidedBy: admin.id },
    });
    expect(await granted(asked)).toEqual([]);
  });

  test("against another Admin's Approve at the same time: one of them counts, for both", async () => {
    const asked = await asking();
    const [approved, rejected] = await Promise.all([
      admin.post(`${asked.path}/approve`, { tokens: "500", note: "yes" }),
      otherAdmin.post(`${asked.path}/reject`, { note: "no" }),
    ]);
    const state = await stateOf(asked);
    const shown = [await followed(admin, approved), await followed(otherAdmin, rejected)];
    expect(shown.filter((one) => one.includes("decided first"))).toHaveLength(1);
    for (const one of shown) expect(one).toContain(`is ${state}`);
    expect(await granted(asked)).toEqual(state === "approved" ? [500] : []);
  });

  test("pressed twice is one decision with one row", async () => {
    const asked = await asking();
    const press = () => admin.post(`${asked.path}/reject`, { note: "no" });
    const [one, other] = await Promise.all([press(), press()]);
    expect([one.status, other.status]).toEqual([303, 303]);
    const rows = (await audit(asked.person.id)).filter(({ what }) => what === "request.reject");
    expect(rows).toHaveLength(1);
  });
});

describe("what was decided", () => {
  test("stands below, by its state", async () => {
    const asked = await asking(777);
    await admin.post(`${asked.path}/reject`, { note: "as an example" });
    const rejected = await words(admin.get("/admin/requests?state=rejected"));
    expect(rejected).toContain("as an example");
    const approved = await words(admin.get("/admin/requests?state=approved"));
    expect(approved).not.toContain("as an example");
  });

  test("a made-up request in the link says nothing", async () => {
    const answer = await admin.get("/admin/requests?decided=request_nobody");
    expect(answer.status).toBe(200);
    expect(await words(answer)).not.toContain("decided first");
  });
});

describe("security", () => {
  test("a request that does not exist is not found, on a page", async () => {
    const answer = await admin.post("/admin/requests/request_nobody/approve", {
      ...{ tokens: "5", note: "" },
    });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toContain("text/html");
  });

  test.each(["approve", "reject"])("a Member cannot %s, not even their own", async (verb) => {
    const asked = await asking();
    const answer = await asked.person.post(`${asked.path}/${verb}`, { tokens: "5", note: "n" });
    expect(answer.status).toBe(403);
    expect(await stateOf(asked)).toBe("open");
  });

  test.each(["approve", "reject"])("%s sent from another site changes nothing", async (verb) => {
    const asked = await asking();
    for (const origin of ["https://evil.test", "null", null]) {
      const form = { tokens: "5", note: "n" };
      expect((await admin.post(`${asked.path}/${verb}`, form, origin)).status).toBe(403);
    }
    expect(await stateOf(asked)).toBe("open");
  });

  test.each(["approve", "reject"])("%s without a session changes nothing", async (verb) => {
    const asked = await asking();
    expect((await stranger.post(`${asked.path}/${verb}`, { tokens: "5" })).status).toBe(401);
    expect(await stateOf(asked)).toBe("open");
  });
});
