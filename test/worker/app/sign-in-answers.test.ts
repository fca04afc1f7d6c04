// Every way in which an answer of the provider is not taken.
import { describe, expect, test, vi } from "vitest";
import { watchRefusals } from "./refusals.ts";
import { callback, newInvite, PROGRESS, SESSION, SigningIn } from "./signing-in.ts";

const { logged, refused } = watchRefusals();

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
      logged.length = 0;
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
