// Who comes in, and every way in which an answer of the provider is not taken.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openidClient } from "../../upstream/openid-script.ts";
import { accessContact, firstAdminEmail } from "../bindings.ts";
import { admin, audit, ORIGIN, read } from "../calling.ts";
import { callback, newInvite, PROGRESS, SESSION, SigningIn } from "./signing-in.ts";
import { words } from "./visitor.ts";

let logged: string[] = [];

beforeEach(() => {
  logged = [];
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((...line) => {
      logged.push(JSON.stringify(line));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A page that says so, whose reason is in the log, and nobody is signed in. */
async function refused(
  browser: SigningIn,
  answer: Response,
  { status, reason, says }: { status: number; reason: string; says: string },
): Promise<void> {
  expect(await words(answer)).toContain(says);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(browser.cookies.has(SESSION)).toBe(false);
  expect(browser.cookies.has(PROGRESS)).toBe(false);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain(`"event":"sign_in_refused"`);
  expect(logged[0]).toContain(`"refusal":"${reason}"`);
}

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

describe("an answer that is not taken", () => {
  const misdirected = { status: 400, reason: "another_sign_in", says: "sign in again" };
  const untrusted = { status: 502, reason: "untrusted_answer", says: "Sign in again" };
  const nothing = { status: 400, reason: "not_in_progress", says: "No sign-in is in progress" };

  test("one that comes again in the same browser", async () => {
    const browser = new SigningIn();
    const address = callback(await browser.start(), await newInvite());
    expect((await browser.get(address)).status).toBe(303);
    browser.cookies.delete(SESSION);
    await refused(browser, await browser.get(address), nothing);
  });

  test("one whose code was used, also with the cookie of then", async () => {
    const browser = new SigningIn();
    const address = callback(await browser.start(), await newInvite());
    const kept = browser.cookies.get(PROGRESS) ?? "";
    await browser.get(address);
    const thief = new SigningIn();
    thief.cookies.set(PROGRESS, kept);
    const says = "takes each sign-in once";
    await refused(thief, await thief.get(address), { status: 400, reason: "code_refused", says });
  });

  test("one in a browser that asked nothing", async () => {
    const address = callback(await new SigningIn().start(), await newInvite());
    const browser = new SigningIn();
    await refused(browser, await browser.get(address), nothing);
  });

  test("one to another browser's question", async () => {
    const question = await new SigningIn().start();
    const browser = new SigningIn();
    await browser.start();
    await refused(browser, await browser.finish(question, await newInvite()), misdirected);
  });

  test.each([
    ["another state", { state: "another" }],
    ["no state", { state: "" }],
    ["another issuer in the address", { iss: "https://elsewhere.example.org" }],
    ["no issuer in the address", { iss: "" }],
  ])("one with %s", async (_, change) => {
    const browser = new SigningIn();
    const answer = await browser.finish(await browser.start(), await newInvite(), { change });
    await refused(browser, answer, misdirected);
  });

  test.each([
    ["another nonce", { claims: { nonce: "another" } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["another issuer", { claims: { iss: "https://elsewhere.example.org" } }],
    ["another audience", { claims: { aud: "another" } }],
    ["no subject", { claims: { sub: undefined } }],
    ["a signature of another key", { fault: "foreign_key" }],
    ["no ID Token", { fault: "no_id_token" }],
  ] as const)("one with %s", async (_, answer) => {
    const browser = new SigningIn();
    await refused(browser, await browser.signIn(await newInvite(), answer), untrusted);
  });

  test("one whose userinfo is of another subject", async () => {
    const { email, sub } = await newInvite();
    const browser = new SigningIn();
    const userinfo = { sub: "another", email, email_verified: true };
    const answer = await browser.finish(await browser.start(), { sub }, { answer: { userinfo } });
    await refused(browser, answer, untrusted);
  });

  test("one that is long over by our clock, as where two clocks differ", async () => {
    const claims = { iat: 1_000, exp: 1_060 };
    const browser = new SigningIn();
    const answer = await browser.signIn(await newInvite(), { claims });
    await refused(browser, answer, { status: 502, reason: "clocks_differ", says: "too far apart" });
  });

  test("one whose end is past by no more than clocks differ is taken", async () => {
    const claims = { exp: Math.floor(Date.now() / 1_000) - 10 };
    expect((await new SigningIn().signIn(await newInvite(), { claims })).status).toBe(303);
  });

  test("one that comes after more than ten minutes", async () => {
    const browser = new SigningIn();
    const question = await browser.start();
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now + 600_000);
    const answer = await browser.finish(question, await newInvite());
    await refused(browser, answer, { status: 400, reason: "expired", says: "took too long" });
  });

  test("one to a question that somebody made up", async () => {
    for (const value of ["", "00", "zz", "00".repeat(300)]) {
      const browser = new SigningIn();
      const question = await browser.start();
      browser.cookies.set(PROGRESS, value);
      logged = [];
      await refused(browser, await browser.finish(question, await newInvite()), nothing);
    }
  });
});

describe("a provider's error", () => {
  test.each([
    ["access_denied", "declined", 403],
    ["server_error", "provider_refused", 502],
    ["<script>alert(1)</script>", "provider_refused", 502],
  ])("%s in the address", async (error, reason, status) => {
    const browser = new SigningIn();
    const { state, issuer } = await browser.start();
    const query = new URLSearchParams({ error, state, iss: issuer, error_description: "private" });
    const answer = await browser.get(`/sign-in/callback?${query}`);
    await refused(browser, answer, { status, reason, says: "gain" });
    expect(logged.join()).not.toMatch(/private|script/);
  });

  test.each([
    ["invalid_client", "provider_misconfigured", 502],
    ["server_error", "provider_unreachable", 502],
    ["no_json", "provider_unreachable", 502],
    ["hang_up", "provider_unreachable", 502],
  ] as const)("%s at the token endpoint", async (fault, reason, status) => {
    const browser = new SigningIn();
    const answer = await browser.signIn(await newInvite(), { fault });
    await refused(browser, answer, { status, reason, says: "whoever runs this service" });
  });

  test("leaves no code, token, state or address in the log", async () => {
    const browser = new SigningIn();
    const question = await browser.start();
    const who = await newInvite();
    await browser.finish(question, who, { answer: { claims: { aud: "another" } } });
    const cookie = browser.cookies.get(PROGRESS) ?? "none";
    for (const secret of [question.state, question.nonce, who.email, who.sub, "eyJ", cookie]) {
      expect(logged.join()).not.toContain(secret);
    }
    expect(logged).toHaveLength(1);
  });
});

function fromHex(text: string): string {
  return text.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
