// A person is told of a key of theirs that others revoked, and puts that away.
import { describe, expect, test } from "vitest";
import { admin, read } from "../calling.ts";
import { outcomes, send } from "../sending-events.ts";
import { followed, newVisitor, stranger, type Visitor, words } from "./visitor.ts";

interface Minted {
  id: string;
  key: string;
  start: string;
}

async function mint({ id }: Visitor, name: string): Promise<Minted> {
  return await read(admin("POST", `/people/${id}/keys`, { name }));
}

const revoke = ({ key }: Minted, reason: string) =>
  outcomes(send({ type: "key.revoke", data: { key, reason } }));

describe("a person whose key was revoked", () => {
  test("by a webhook is told which, by whom and why, on Home and on API Keys", async () => {
    const member = await newVisitor();
    const minted = await mint(member, "laptop");
    await revoke(minted, "found in a gist");
    for (const path of ["/", "/keys"]) {
      const page = await words(member.get(path));
      expect(page).toContain("Your key laptop");
      expect(page).toContain(minted.start);
      expect(page).toContain("by a webhook");
      expect(page).toContain("The reason: found in a gist");
      expect(page).not.toContain(minted.key);
    }
  });

  test("by an Admin is told so; who did it themselves is not", async () => {
    const member = await newVisitor();
    const [one, own] = [await mint(member, "one"), await mint(member, "own")];
    await read(admin("POST", `/keys/${one.id}/revoke`, { reason: "rotated" }));
    await followed(member, await member.post(`/keys/${own.id}/revoke`, { reason: "lost" }));
    const page = await words(member.get("/"));
    expect(page).toContain("Your key one");
    expect(page).toContain("by an Admin");
    expect(page).not.toContain("Your key own");
  });

  test("puts it away for good, and is back on the page where they were", async () => {
    const member = await newVisitor();
    const minted = await mint(member, "laptop");
    await revoke(minted, "found in a gist");
    const dismiss = (page: string) => member.post(`/keys/${minted.id}/dismiss`, { page });
    const answer = await dismiss("home");
    expect(answer.headers.get("location")).toBe("/");
    expect(await followed(member, await dismiss("keys"))).not.toContain("found in a gist");
    await revoke(minted, "found in a gist");
    expect(await words(member.get("/"))).not.toContain("found in a gist");
  });

  test("is told nothing of another's keys, and puts nothing of theirs away", async () => {
    const [member, other] = [await newVisitor(), await newVisitor()];
    const minted = await mint(member, "laptop");
    await revoke(minted, "found in a gist");
    expect(await words(other.get("/"))).not.toContain("found in a gist");
    expect((await other.post(`/keys/${minted.id}/dismiss`, { page: "home" })).status).toBe(404);
    expect(await words(member.get("/"))).toContain("found in a gist");
  });

  test("reads a reason as text, whatever is in it", async () => {
    const member = await newVisitor();
    await revoke(await mint(member, "<i>laptop</i>"), "<script>alert(1)</script>");
    const html = await (await member.get("/")).text();
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("&lt;script&gt;alert(1)");
  });
});

test("an Admin reads in the audit log that a webhook did it, from where, and why", async () => {
  const [member, boss] = [await newVisitor(), await newVisitor({ role: "admin" })];
  await revoke(await mint(member, "laptop"), "found in a gist");
  const page = await words(boss.get(`/admin/audit?whom=${encodeURIComponent(member.email)}`));
  expect(page).toContain("a webhook");
  expect(page).toContain("found in a gist");
  const asked = await words(boss.get("/admin/audit?who=webhook"));
  expect(asked).toContain("found in a gist");
});

test("whoever is signed out puts nothing away", async () => {
  expect((await stranger.post("/keys/key_1/dismiss", { page: "home" })).status).toBe(401);
});
