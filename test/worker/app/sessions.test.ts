// Where somebody is signed in, and how they end it.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newInvite, SESSION, SigningIn } from "./signing-in.ts";
import { words } from "./visitor.ts";

/** Two browsers of one person. */
async function twoBrowsers(): Promise<[SigningIn, SigningIn]> {
  const who = await newInvite();
  const browsers: [SigningIn, SigningIn] = [new SigningIn(), new SigningIn()];
  for (const browser of browsers) await browser.signIn(who);
  return browsers;
}

/** The ids that the page offers to end. */
async function others(browser: SigningIn): Promise<string[]> {
  const page = await (await browser.get("/sessions")).text();
  return [...page.matchAll(/action="\/sessions\/([^/"]+)\/end"/g)]
    .map(([, id]) => id ?? "")
    .filter((id) => id !== "all");
}

async function isSignedIn(browser: SigningIn): Promise<boolean> {
  return (await browser.get("/sessions")).status === 200;
}

describe("a session", () => {
  test("ends by Sign out, for whoever else has its cookie too", async () => {
    const [browser, other] = await twoBrowsers();
    const thief = new SigningIn();
    thief.cookies.set(SESSION, browser.cookies.get(SESSION) ?? "");
    const answer = await browser.post("/sign-out");
    expect(answer.headers.get("location")).toBe("/sign-in?notice=signed-out");
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(await isSignedIn(thief)).toBe(false);
    expect(await isSignedIn(other)).toBe(true);
    expect(await words(browser.get("/sign-in?notice=signed-out"))).toContain("You are signed out.");
  });

  test("signs out whoever has none", async () => {
    expect((await new SigningIn().post("/sign-out")).status).toBe(303);
  });

  test("is ended from another one of the person's own", async () => {
    const [browser, other] = await twoBrowsers();
    const ids = await others(browser);
    expect(ids).toHaveLength(1);
    const answer = await browser.post(`/sessions/${ids[0]}/end`);
    expect(answer.headers.get("location")).toBe("/sessions?notice=ended");
    expect(await isSignedIn(other)).toBe(false);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await browser.post(`/sessions/${ids[0]}/end`)).status).toBe(404);
  });

  test("is out of reach of another person, who is told the same as of one that is not", async () => {
    const [, theirs] = await twoBrowsers();
    const [id] = await others((await twoBrowsers())[0]);
    const stolen = await theirs.post(`/sessions/${id}/end`);
    const madeUp = await theirs.post("/sessions/made-up/end");
    expect(stolen.status).toBe(404);
    expect(await words(stolen)).toBe(await words(madeUp));
  });

  test("ends with all others by Sign out everywhere", async () => {
    const [browser, other] = await twoBrowsers();
    const answer = await browser.post("/sessions/all/end");
    expect(answer.headers.get("location")).toBe("/sign-in?notice=signed-out");
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(await isSignedIn(other)).toBe(false);
  });

  test("is known to the Directory by its hash alone", async () => {
    const browser = new SigningIn();
    await browser.signIn(await newInvite());
    const id = browser.cookies.get(SESSION) ?? "";
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    const rows = await runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) =>
      JSON.stringify(storage.sql.exec("SELECT * FROM sessions").toArray()),
    );
    expect(rows).not.toContain(id);
    const page = await (await browser.get("/sessions")).text();
    expect(page).not.toContain(id);
  });

  test("has a page for whoever is signed in already: where they wanted to go", async () => {
    const [browser] = await twoBrowsers();
    const answer = await browser.get("/sign-in?to=/keys");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/keys"]);
  });
});
