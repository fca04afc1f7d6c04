// Who comes in at the door, and who does not though the provider knows them.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { openidClient } from "../../upstream/openid-script.ts";
import { accessContact, firstAdminEmail } from "../bindings.ts";
import { admin, audit, ORIGIN, read } from "../calling.ts";
import { watchRefusals } from "./refusals.ts";
import { newInvite, PROGRESS, SESSION, SigningIn } from "./signing-in.ts";
import { words } from "./visitor.ts";

const { logged, refused } = watchRefusals();

describe("the way to the provider", () => {
  test("asks with state, nonce and the challenge of a verifier that stays here", async () => {
    const browser = new SigningIn();
    const { url, state, nonce, challenge } = await browser.start();
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: openidClient.id,
      redirect_uri: `${ORIGIN}/sign-in/callback`,
      ...{ response_type: "code", scope: "openid email", code_challenge_method: "S256" },
    });
    for (const value of [state, nonce, challenge]) expect(value).toMatch(/^[\w-]{43}$/);
    const cookie = browser.cookies.get(PROGRESS) ?? "";
    expect(cookie).toMatch(/^[0-9a-f]+$/);
    for (const value of [state, nonce]) expect(fromHex(cookie)).not.toContain(value);
  });

  test("draws everything anew each time", async () => {
    const browser = new SigningIn();
    const [first, second] = [await browser.start(), await browser.start()];
    expect(second.state).not.toBe(first.state);
    expect(second.nonce).not.toBe(first.nonce);
    expect(second.challenge).not.toBe(first.challenge);
  });

  test("keeps its cookie from scripts, other sites and plain HTTP, for ten minutes", async () => {
    const response = await new SigningIn().get("/sign-in/start");
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-continuo-sign-in=/);
    for (const attribute of ["Max-Age=600", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"]) {
      expect(cookie?.split("; ")).toContain(attribute);
    }
  });

  test("asks the provider again who it is, for whoever is there as somebody else", async () => {
    const response = await new SigningIn().get("/sign-in/start?as=another");
    expect(response.headers.get("location")).toContain("&prompt=login");
  });
});

describe("who comes in", () => {
  test("whoever is invited, to where they wanted to go, bound to the provider's subject", async () => {
    const browser = new SigningIn();
    const { id, ...who } = await newInvite();
    const answer = await browser.finish(await browser.start("/sessions?a=1"), who);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/sessions?a=1");
    expect(browser.cookies.has(PROGRESS)).toBe(false);
    expect(await words(browser.get("/sessions"))).toContain("Firefox on Linux");
    expect((await audit(id)).map(({ what }) => what)).toContain("person.bind");
    // From now on the subject counts, whatever its address is.
    const moved = { sub: who.sub, email: "moved@example.org" };
    expect((await new SigningIn().signIn(moved)).status).toBe(303);
    expect(logged).toEqual([]);
  });

  test("whoever's address is told by the userinfo endpoint alone", async () => {
    const { sub, email } = await newInvite();
    const browser = new SigningIn();
    const userinfo = { sub, email: email.toUpperCase(), email_verified: "true" };
    const answer = await browser.finish(await browser.start(), { sub }, { answer: { userinfo } });
    expect(answer.status).toBe(303);
    expect(browser.cookies.has(SESSION)).toBe(true);
  });

  test("the first Admin, whom the configuration names, with an Account of their own", async () => {
    const browser = new SigningIn();
    const who = { sub: "the first", email: firstAdminEmail };
    expect((await browser.signIn(who)).status).toBe(303);
    const path = `/people?email=${firstAdminEmail}`;
    const { data } = await read<{ data: { id: string; role: string }[] }>(admin("GET", path));
    expect(data[0]).toMatchObject({ role: "admin" });
    expect(await read(admin("GET", `/people/${data[0]?.id}`))).toMatchObject({
      ...{ role: "admin", tokens: { granted: 0, available: 0 } },
    });
    expect((await new SigningIn().signIn(who)).status).toBe(303);
  });

  test("nobody by a session that was put into their browser before", async () => {
    const browser = new SigningIn();
    const planted = "ab".repeat(32);
    browser.cookies.set(SESSION, planted);
    await browser.signIn(await newInvite());
    expect(browser.cookies.get(SESSION)).not.toBe(planted);
    const attacker = new SigningIn();
    attacker.cookies.set(SESSION, planted);
    expect((await attacker.get("/sessions")).status).toBe(303);
  });

  test("again with a new session, and the one of before is over", async () => {
    const browser = new SigningIn();
    const who = await newInvite();
    await browser.signIn(who);
    const before = browser.cookies.get(SESSION) ?? "";
    await browser.signIn(who);
    expect(browser.cookies.get(SESSION)).not.toBe(before);
    const old = new SigningIn();
    old.cookies.set(SESSION, before);
    expect((await old.get("/sessions")).status).toBe(303);
  });
});

describe("who does not come in", () => {
  test("whoever has no invite, and is told whom to ask", async () => {
    const browser = new SigningIn();
    const answer = await browser.signIn({ sub: "nobody", email: "nobody@example.org" });
    await refused(browser, answer, { status: 403, reason: "not_invited", says: accessContact });
    expect(logged.join()).not.toContain("nobody@");
  });

  test("whoever's invite has expired", async () => {
    const { id, ...who } = await newInvite();
    await runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) => {
      storage.sql.exec("UPDATE people SET invited_until = 1 WHERE id = ?", id);
    });
    const browser = new SigningIn();
    const says = "Ask an Admin to extend it";
    const expected = { status: 403, reason: "invite_expired", says };
    await refused(browser, await browser.signIn(who), expected);
  });

  test.each([
    [{ email_verified: false }],
    [{ email_verified: undefined }],
    [{ email_verified: 1 }],
  ])("whoever's address is not verified: %j", async (claims) => {
    const browser = new SigningIn();
    const answer = await browser.signIn(await newInvite(), { claims });
    const says = "Have the sign-in provider verify it";
    await refused(browser, answer, { status: 403, reason: "email_unverified", says });
  });

  test("whoever has no address at the provider at all", async () => {
    const browser = new SigningIn();
    const answer = await browser.finish(await browser.start(), { sub: "no address" });
    await refused(browser, answer, { status: 403, reason: "email_unverified", says: "verif" });
  });

  test("whoever is disabled, also in the sessions they have", async () => {
    const { id, ...who } = await newInvite();
    const before = new SigningIn();
    await before.signIn(who);
    await read(admin("PATCH", `/people/${id}`, { disabled: true }));
    expect((await before.get("/sessions")).status).toBe(303);
    const browser = new SigningIn();
    const expected = { status: 403, reason: "disabled", says: "Ask an Admin to enable it" };
    await refused(browser, await browser.signIn(who), expected);
  });

  test("whoever has taken over an address whose person has signed in before", async () => {
    const { email, sub } = await newInvite();
    await new SigningIn().signIn({ email, sub });
    const browser = new SigningIn();
    const answer = await browser.signIn({ email, sub: "another" });
    const expected = { status: 403, reason: "bound_to_another", says: "another account" };
    await refused(browser, answer, expected);
  });
});

function fromHex(text: string): string {
  return text.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
