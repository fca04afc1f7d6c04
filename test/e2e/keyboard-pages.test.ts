// All that people do in the App, with nothing but keys.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { press, tabTo, write } from "./keyboard.ts";
import { admin } from "./person.ts";

const stack = inject("stack");

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Someone {
  id: string;
  email: string;
  page: Page;
}

async function invited(role: "member" | "admin"): Promise<Someone> {
  const email = `${role}-${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role });
  return { id, email, page: await (await newBrowserContext(browser)).newPage() };
}

async function signedIn(role: "member" | "admin"): Promise<Someone> {
  const someone = await invited(role);
  await signIn(someone.page, stack, someone.email);
  return someone;
}

const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const notice = (page: Page) => page.getByRole("status").textContent();

describe("by keyboard alone somebody", () => {
  it("signs in and out", async () => {
    const { page, email } = await invited("member");
    await page.goto(`${stack.app}/`);
    await press(page, link(page, "Sign in"));
    await page.getByLabel(/^Somebody else/).waitFor();
    await write(page, page.getByLabel(/^Somebody else/), email);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stack.app}/`);
    await press(page, button(page, "Sign out"));
    await page.waitForURL(`${stack.app}/sign-in?notice=signed-out`);
  });

  it("creates a key, copies, renames, limits and revokes it", async () => {
    const { page } = await signedIn("member");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page, link(page, "Create your first key"));
    await page.waitForURL(/keys\/new$/);
    await write(page, page.getByLabel("Name"), "laptop");
    await page.keyboard.press("Enter");
    const key = await page.locator("#new-key").textContent();
    await press(page, button(page, "Copy").first());
    await button(page, "Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await press(page, link(page, "I have copied it"));
    await page.waitForURL(/keys$/);

    await press(page, button(page, "Actions for laptop"));
    await press(page, link(page, "Rename"));
    await page.waitForURL(/rename$/);
    await write(page, page.getByLabel("Name"), "desk");
    await page.keyboard.press("Enter");
    await page.waitForURL(/notice=renamed$/);

    await press(page, button(page, "Actions for desk"));
    await press(page, link(page, "Set limit"));
    await page.waitForURL(/limit$/);
    await write(page, page.getByRole("textbox").first(), "1000");
    await page.keyboard.press("Enter");
    await page.waitForURL(/notice=limited$/);

    await press(page, button(page, "Actions for desk"));
    await page.keyboard.press("Escape");
    expect(await link(page, "Revoke").isVisible()).toBe(false);
    await press(page, button(page, "Actions for desk"));
    await press(page, link(page, "Revoke"));
    await page.waitForURL(/revoke$/);
    await press(page, button(page, "Revoke"));
    await page.waitForURL(/notice=revoked$/);
    expect(await notice(page)).toContain("The key is revoked");
  });

  it("asks for tokens, and withdraws", async () => {
    const { page } = await signedIn("member");
    await press(page, link(page, "Usage"));
    await page.waitForURL(/usage$/);
    await press(page, link(page, "Request more tokens"));
    await page.waitForURL(/requests$/);
    await write(page, page.getByLabel("How many more tokens"), "5000");
    await write(page, page.getByLabel("What for"), "a sweep");
    await press(page, button(page, "Send the request"));
    await press(page, button(page, "Withdraw"));
    await page.getByRole("status").filter({ hasText: "withdrawn" }).waitFor();
  });
});

async function asking(): Promise<Someone> {
  const member = await signedIn("member");
  await member.page.goto(`${stack.app}/usage/requests`);
  await member.page.getByLabel("How many more tokens").fill("5000");
  await member.page.getByLabel("What for").fill("a sweep");
  await member.page.getByRole("button", { name: "Send the request" }).click();
  await member.page.getByRole("button", { name: "Withdraw" }).waitFor();
  return member;
}

describe("by keyboard alone an Admin", () => {
  it("approves a request with another amount, and rejects another", async () => {
    const [yes, no] = [await asking(), await asking()];
    const { page } = await signedIn("admin");
    await press(page, link(page, /^Requests/));
    await page.waitForURL(/requests$/);
    const approving = page.getByRole("article", { name: yes.email });
    await write(page, approving.getByLabel("Grant, in tokens"), "4000");
    await press(page, approving.getByRole("button", { name: "Approve" }));
    await page.waitForURL(/decided=/);
    expect(await notice(page)).toContain(`${yes.email} is approved with 4,000 tokens`);
    const rejecting = page.getByRole("article", { name: no.email });
    await write(page, rejecting.getByLabel("Note"), "no GPUs");
    await press(page, rejecting.getByRole("button", { name: "Reject" }));
    await page.getByRole("status").filter({ hasText: no.email }).waitFor();
    expect(await notice(page)).toContain("rejected");
  });

  it("invites somebody, and disables them", async () => {
    const { page } = await signedIn("admin");
    const email = `${crypto.randomUUID()}@example.org`;
    await press(page, link(page, "People"));
    await page.waitForURL(/people$/);
    await press(page, link(page, "Invite somebody"));
    await page.waitForURL(/invite$/);
    await write(page, page.getByLabel("E-mail address"), email);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: email }).waitFor();
    await press(page, link(page, "Disable…"));
    await page.waitForURL(/disable$/);
    await press(page, button(page, "Disable"));
    await page.getByRole("status").filter({ hasText: "disabled" }).waitFor();
  });

  it("changes the Spend limit", async () => {
    const { page } = await signedIn("admin");
    await press(page, link(page, "Spend"));
    await page.waitForURL(/spend$/);
    await write(page, page.getByLabel(/^Spend limit/), "600");
    await page.keyboard.press("Enter");
    await page.getByRole("main").filter({ hasText: "of $600" }).waitFor();
  });
});

describe("the focus", () => {
  it("stays where it is while Home brings its Models up to date", async () => {
    const { page } = await signedIn("member");
    await page.clock.install();
    await page.reload();
    const model = page.getByRole("main").getByRole("link", { name: "local" });
    await tabTo(page, model);
    const before = await model.elementHandle();
    const states = page.waitForResponse(`${stack.app}/models/states`);
    await page.clock.fastForward(31_000);
    await states;
    await page.clock.runFor(1_000);
    await page.waitForFunction((element) => element?.isConnected === false, before);
    expect(await model.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
