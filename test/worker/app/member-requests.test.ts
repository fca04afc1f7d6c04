import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { directoryOf } from "../../../src/durable-objects/objects.ts";
import { admin, audit, read } from "../calling.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

const PATH = "/usage/requests";

let member: Visitor;

beforeEach(async () => {
  member = await newVisitor();
});

function ask(visitor: Visitor, fields: Record<string, string> = {}) {
  return visitor.post(PATH, { id: "a", tokens: "50,000", reason: "to sample", ...fields });
}

async function requestsOf({ id: personId }: Visitor) {
  const filter = { personId, state: null, after: null, limit: 100 };
  return (await directoryOf(env).tokenRequests(filter)).rows;
}

describe("Request more tokens", () => {
  test("shows what is left, and takes how many and what for", async () => {
    await read(admin("POST", `/people/${member.id}/grants`, { tokens: 1_234 }));
    expect(await words(member.get(PATH))).toContain("You have 1,234 tokens left.");
    const sent = await followed(member, await ask(member, { reason: "a <b>sweep</b>" }));
    expect(sent).toContain("Your request is with the Admins.");
    expect(sent).toContain("You asked for 50,000 tokens a &lt;b&gt;sweep&lt;/b&gt;");
    expect(await requestsOf(member)).toMatchObject([{ tokens: 50_000, state: "open" }]);
    expect(await words(member.get("/"))).toContain("You asked for 50,000 tokens now");
  });

  test("sent twice is one request", async () => {
    await ask(member);
    expect(await followed(member, await ask(member))).toContain("You asked for 50,000 tokens");
    expect(await requestsOf(member)).toHaveLength(1);
    const rows = (await audit(member.id)).filter(({ what }) => what === "request.ask");
    expect(rows).toHaveLength(1);
  });

  test("is refused while another one is open, and says what to do", async () => {
    await ask(member);
    const answer = await ask(member, { id: "b", tokens: "9" });
    expect(answer.status).toBe(409);
    expect(await words(answer)).toContain("You have an open request.");
    expect(await requestsOf(member)).toHaveLength(1);
  });

  test.each([
    [{ tokens: "" }, "Write a whole number, such as 1,000,000."],
    [{ tokens: "0" }, "Write at least 1 token."],
    [{ reason: "  " }, "Write what you need the tokens for."],
    [{ reason: "x".repeat(2_001) }, "Write at most 2000 characters."],
  ])("with %j says what to write, and keeps the rest", async (fields, why) => {
    const answer = await ask(member, { tokens: "777", ...fields });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain(why);
    if (!("tokens" in fields)) expect(html).toContain('value="777"');
    expect(await requestsOf(member)).toEqual([]);
  });
});

describe("the answer", () => {
  test("stands in the list with the Admin's note, and on Home", async () => {
    await ask(member);
    const boss = await newVisitor({ role: "admin" });
    const id = `request_${member.id}_a`;
    await boss.post(`/admin/requests/${id}/approve`, { tokens: "20,000", note: "a start" });
    const shown = await words(member.get(PATH));
    expect(shown).toContain("50,000 approved 20,000 to sample a start");
    const home = await words(member.get("/"));
    expect(home).toContain("Your request was approved: 20,000 tokens. The Admin says: a start");
    expect(home).toContain("Tokens available 20,000");
  });

  test("may be no", async () => {
    await ask(member);
    const boss = await newVisitor({ role: "admin" });
    await boss.post(`/admin/requests/request_${member.id}_a/reject`, { note: "too many" });
    expect(await words(member.get(PATH))).toContain("rejected to sample too many");
    expect(await words(member.get("/"))).toContain("was rejected. The Admin says: too many");
  });
});

describe("Withdraw", () => {
  test("ends the request, so that another can be sent", async () => {
    await ask(member);
    const [request] = await requestsOf(member);
    const answer = await member.post(`${PATH}/${request?.id}/withdraw`);
    expect(await followed(member, answer)).toContain("The request is withdrawn.");
    expect((await ask(member, { id: "b" })).status).toBe(303);
  });

  test("after the answer says that it is too late", async () => {
    await ask(member);
    const id = `request_${member.id}_a`;
    await directoryOf(env).decideTokenRequest(id, {
      ...{ decision: "rejected", by: "operator", tokens: 0, note: "no" },
    });
    const answer = await member.post(`${PATH}/${id}/withdraw`);
    expect(answer.status).toBe(409);
    expect(await words(answer)).toContain("has its answer already");
  });
});

describe("another person's request", () => {
  test("can be neither seen nor withdrawn, also by an Admin here", async () => {
    await ask(member, { reason: "something private" });
    for (const role of ["member", "admin"] as const) {
      const other = await newVisitor({ role });
      expect(await words(other.get(PATH))).not.toContain("something private");
      const answer = await other.post(`${PATH}/request_${member.id}_a/withdraw`);
      expect(answer.status).toBe(404);
    }
    expect(await requestsOf(member)).toMatchObject([{ state: "open" }]);
  });

  test("cannot be sent in their name, from another site, or without a session", async () => {
    await ask(member, { personId: member.id });
    const other = await newVisitor();
    await ask(other, { id: "c", personId: member.id, person_id: member.id });
    expect((await requestsOf(member)).map(({ id }) => id)).toEqual([`request_${member.id}_a`]);
    const form = { id: "d", tokens: "5", reason: "x" };
    expect((await member.post(PATH, form, "https://elsewhere.example")).status).toBe(403);
    expect((await stranger.post(PATH, form)).status).toBe(401);
    expect((await stranger.get(PATH)).headers.get("location")).toBe(
      "/sign-in?to=%2Fusage%2Frequests",
    );
  });
});
