// The door as people use it: Chromium, the App, and the real OpenID provider of the local stack.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, pick, signIn } from "./browser.ts";
import { pageDefects } from "./page-defects.ts";
import { admin } from "./person.ts";

const stack = inject("stack");
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  await context?.close();
  context = await newBrowserContext(browser);
  page = await context.newPage();
});

async function invited(role: "member" | "admin" = "member"): Promise<string> {
  const email = `${crypto.randomUUID()}@example.org`;
  await admin(stack, "POST", "/people", { email, role });
  return email;
}

/** The App's, by name; the provider answers on the same host, and browsers tell no ports apart. */
async function cookies(of = context): Promise<Map<string, string>> {
  const all = await of.cookies(stack.app);
  const own = all.filter(({ name }) => name.startsWith("__Host-"));
  return new Map(own.map(({ name, value }) => [name, value]));
}

/** Where the provider sent this page's sign-in back to. */
function callbackOf(signing: Page): Promise<string> {
  const address = `${stack.app}/sign-in/callback?`;
  return signing
    .waitForRequest((request) => request.url().startsWith(address))
    .then((request) => request.url());
}

const heading = () => page.getByRole("heading", { level: 1 }).textContent();
const path = () => page.url().replace(stack.app, "");

describe("whoever is invited", () => {
  it("comes in by the provider's page and lands where they wanted to go", async () => {
    const email = await invited();
    await page.goto(`${stack.app}/sessions`);
    expect(path()).toBe("/sign-in?to=%2Fsessions");
    await page.getByRole("link", { name: "Sign in" }).click();
    expect(new URL(page.url()).origin).toBe(stack.openid);
    await pick(page, email);
    expect(path()).toBe("/sessions");
    expect(await page.getByRole("main").textContent()).toContain("Chrome on Linux");
    expect([...(await cookies()).keys()]).toEqual(["__Host-continuo"]);
    const all = await context.cookies(stack.app);
    expect(all.find(({ name }) => name === "__Host-continuo")).toMatchObject({
      ...{ httpOnly: true, secure: true, sameSite: "Lax", path: "/" },
      value: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("signs out, and the cookie of before opens nothing any more", async () => {
    await signIn(page, stack, await invited(), "/sessions");
    const before = await context.cookies(stack.app);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    expect(path()).toBe("/sign-in?notice=signed-out");
    expect((await cookies()).has("__Host-continuo")).toBe(false);
    await context.addCookies(before);
    await page.goto(`${stack.app}/sessions`);
    expect(path()).toBe("/sign-in?to=%2Fsessions");
  });

  it("has a new session id at each sign-in, and the one of before is over", async () => {
    const email = await invited();
    await signIn(page, stack, email, "/sessions");
    const first = (await cookies()).get("__Host-continuo") ?? "";
    await page.goto(`${stack.app}/sign-in/start`);
    await pick(page, email);
    const second = (await cookies()).get("__Host-continuo");
    expect(second).not.toBe(first);
    const headers = { cookie: `__Host-continuo=${first}` };
    const response = await fetch(`${stack.app}/sessions`, { headers, redirect: "manual" });
    expect(response.status).toBe(303);
  });

  it("ends a session in another browser from the list of their own", async () => {
    const email = await invited();
    const elsewhere = await newBrowserContext(browser);
    const otherPage = await elsewhere.newPage();
    await signIn(otherPage, stack, email, "/sessions");
    await signIn(page, stack, email, "/sessions");
    await page.getByRole("button", { name: "End Chrome on Linux" }).click();
    expect(await page.getByRole("status").textContent()).toBe("The session is ended.");
    expect(await page.getByRole("button", { name: /^End / }).count()).toBe(0);
    await otherPage.reload();
    expect(otherPage.url()).toBe(`${stack.app}/sign-in?to=%2Fsessions`);
    await elsewhere.close();
  });

  it("is out at the next click when an Admin disables them", async () => {
    const email = await invited();
    await signIn(page, stack, email, "/sessions");
    const { data } = await admin<{ data: { id: string }[] }>(
      ...([stack, "GET", `/people?email=${email}`] as const),
    );
    await admin(stack, "PATCH", `/people/${data[0]?.id}`, { disabled: true });
    await page.reload();
    expect(path()).toBe("/sign-in?to=%2Fsessions");
    await signIn(page, stack, email);
    expect(await heading()).toBe("Your account is disabled");
  });
});

describe("whoever is not invited", () => {
  it("gets a page that says whom to ask, and no session", async () => {
    await signIn(page, stack, `${crypto.randomUUID()}@example.org`);
    expect(await heading()).toBe("You have no invite");
    expect(await page.getByRole("main").textContent()).toContain("admin@example.org");
    expect(await cookies()).toEqual(new Map());
    await page.getByRole("link", { name: "Sign in as somebody else" }).click();
    await pick(page, await invited());
    expect(path()).toBe("/");
    expect((await cookies()).has("__Host-continuo")).toBe(true);
  });
});

describe("an answer of the provider", () => {
  it("is good once: its address opened again signs nobody in", async () => {
    const answered = callbackOf(page);
    await signIn(page, stack, await invited());
    const callback = await answered;
    await context.clearCookies();
    const response = await page.goto(callback);
    expect(response?.status()).toBe(400);
    expect(await heading()).toBe("No sign-in is in progress");
    expect(await cookies()).toEqual(new Map());
  });

  it("is good in the browser alone that asked for it", async () => {
    const answered = callbackOf(page);
    await signIn(page, stack, await invited());
    const victim = await newBrowserContext(browser);
    const victimPage = await victim.newPage();
    // Their own sign-in is in progress meanwhile.
    await victimPage.goto(`${stack.app}/sign-in/start`);
    await victimPage.goto(await answered);
    const title = await victimPage.getByRole("heading", { level: 1 }).textContent();
    expect(title).toBe("This answers another sign-in");
    expect(await cookies(victim)).toEqual(new Map());
    await victim.close();
  });
});

describe("the pages of the door", () => {
  it("have no defect at any width, in either theme", async () => {
    expect(await pageDefects(page, `${stack.app}/sign-in`)).toEqual([]);
    await signIn(page, stack, await invited(), "/sessions");
    expect(await pageDefects(page, `${stack.app}/sessions`)).toEqual([]);
  });
});
