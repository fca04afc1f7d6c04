// The member's pages in a real browser: at three widths, in both themes, by keyboard, without a script.
import OpenAI from "openai";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { compressedBytes, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { admin } from "./person.ts";

const stack = inject("stack");

const longName = "a name of many words and signs 🧪 評価 ".repeat(5).padEnd(200, "x");

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Signed {
  id: string;
  page: Page;
}

/** Somebody new, signed in, on Home. */
async function newMember(options: BrowserContextOptions = {}): Promise<Signed> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role: "member" });
  const context = await newBrowserContext(browser, options);
  const page = await context.newPage();
  await signIn(page, stack, email);
  await page.waitForURL(`${stack.app}/`);
  return { id, page };
}

/** Somebody who has used the service with several keys, and asked for more. */
async function busyMember(): Promise<Signed> {
  const member = await newMember();
  await admin(stack, "POST", `/people/${member.id}/grants`, { tokens: 1_000_000 });
  for (const name of [
    "laptop",
    longName,
    "<b>bold</b>",
    "ci",
    "sweep",
    "cluster",
    "notebook",
    "x",
  ]) {
    const keys = `/people/${member.id}/keys`;
    const { key } = await admin<{ key: string }>(stack, "POST", keys, { name });
    const client = new OpenAI({ baseURL: stack.api, apiKey: key });
    await client.completions.create({ model: "local", prompt: "Call me", max_tokens: 8 });
  }
  const { page } = member;
  await page.goto(`${stack.app}/usage/requests`);
  await page.getByLabel("How many more tokens").fill("2,000,000");
  await page.getByLabel("What for").fill(longName);
  await page.getByRole("button", { name: "Send the request" }).click();
  return member;
}

async function firstKeyPath(page: Page): Promise<string> {
  await page.goto(`${stack.app}/keys`);
  const rename = page.locator(".menu a").first();
  return ((await rename.getAttribute("href")) ?? "").replace(/\/rename$/, "");
}

describe("every page", () => {
  it("is accessible and fits, in both themes and at every width, however much it shows", async () => {
    const { page } = await busyMember();
    const key = await firstKeyPath(page);
    const pages = ["/", "/keys", "/keys/new", "/usage", "/usage?by=key", "/usage/requests"];
    const forms = [`${key}/rename`, `${key}/limit`, `${key}/revoke`];
    const found: string[] = [];
    for (const path of [...pages, ...forms, "/models"]) {
      found.push(...(await pageDefects(page, stack.app + path)));
    }
    expect(found).toEqual([]);
  }, 300_000);

  it("is so too for whoever has nothing yet, and where a form was wrong or a page is missing", async () => {
    const { page } = await newMember();
    const found: string[] = [];
    for (const path of ["/", "/keys", "/usage", "/usage/requests", "/usage?from=x"]) {
      found.push(...(await pageDefects(page, stack.app + path)));
    }
    expect(found).toEqual([]);
    const missing = await pageDefects(page, `${stack.app}/keys/nothing/rename`);
    expect(missing.filter((one) => !one.includes("status of 404"))).toEqual([]);
  }, 300_000);

  it("weighs less than 60 KB with all it loads", async () => {
    const { page } = await busyMember();
    for (const path of ["/", "/keys", "/usage?by=key", "/models"]) {
      const context = await newBrowserContext(browser);
      await context.addCookies(await page.context().cookies(stack.app));
      const bytes = await compressedBytes(await context.newPage(), stack.app + path);
      expect(bytes, path).toBeLessThan(PAGE_BYTES_MOST);
      await context.close();
    }
  });
});

describe("a key", () => {
  it("is created once by a double click, shown, and copied", async () => {
    const { page } = await newMember();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("link", { name: "Create your first key" }).click();
    await page.getByLabel("Name").fill("laptop");
    await page.getByRole("button", { name: "Create" }).dblclick();
    const key = (await page.locator("#new-key").textContent()) ?? "";
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await page.getByRole("link", { name: "I have copied it" }).click();
    expect(await page.getByRole("row").count()).toBe(2);
    expect(await page.content()).not.toContain(key);
  });
});

describe("without scripts", () => {
  it("keys, requests and usage work all the same, also with two presses of Create", async () => {
    const { page } = await newMember({ javaScriptEnabled: false });
    await page.getByRole("link", { name: "Create your first key" }).click();
    await page.getByLabel("Name").fill("laptop");
    await page.getByRole("button", { name: "Create" }).dblclick();
    expect(await page.locator("#new-key").textContent()).toMatch(/^ctn_/);
    expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
    await page.getByRole("link", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Actions for laptop" }).click();
    await page.getByRole("link", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke" }).click();
    expect(await page.getByRole("status").textContent()).toContain("The key is revoked");

    await page.goto(`${stack.app}/usage/requests`);
    await page.getByLabel("How many more tokens").fill("many");
    await page.getByLabel("What for").fill("to sample");
    await page.getByRole("button", { name: "Send the request" }).click();
    expect(await page.getByRole("main").textContent()).toContain("Write a whole number");
    await page.getByLabel("How many more tokens").fill("5000");
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.getByRole("button", { name: "Withdraw" }).click();
    expect(await page.getByRole("status").textContent()).toContain("withdrawn");
    await page.goto(`${stack.app}/usage`);
    await page.getByRole("link", { name: "7 days" }).click();
    expect(await page.getByRole("main").textContent()).toContain("Nothing was used");
  });
});

describe("Home, while it stands open", () => {
  it("asks for the Models' states, and leads to the door once the session is over", async () => {
    const { page } = await newMember();
    await page.clock.install();
    await page.reload();
    const states = page.waitForResponse(`${stack.app}/models/states`);
    await page.clock.fastForward(31_000);
    expect((await states).status()).toBe(200);
    await page.getByRole("link", { name: "local" }).waitFor();
    await page.context().clearCookies();
    await page.clock.fastForward(31_000);
    await page.waitForURL(`${stack.app}/sign-in?to=%2F`);
  });
});
