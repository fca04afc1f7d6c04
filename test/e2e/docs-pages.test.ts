// The docs in a real browser, and every link of theirs followed on a running stack.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { contents } from "../../src/worker/docs/contents.ts";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { compressedBytes, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { newPerson } from "./person.ts";

const stack = inject("stack");

const paths = ["/docs", ...contents.flatMap(({ pages }) => pages.map((page) => `/docs/${page}`))];

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function newPage(javaScriptEnabled = true): Promise<Page> {
  return (await newBrowserContext(browser, { javaScriptEnabled })).newPage();
}

describe("the docs in a browser", () => {
  it.each([
    "/docs",
    "/docs/start/quickstart",
    "/docs/how-to/handle-429-errors",
    "/docs/reference/errors",
    "/docs/reference/fields",
    "/docs/search?q=tokens",
  ])("%s has no defect at any width, in either theme", async (path) => {
    expect(await pageDefects(await newPage(), stack.app + path)).toEqual([]);
  });

  it("are as well laid out beside the App's own way around", async () => {
    const page = await newPage();
    await signIn(page, stack, "researcher@example.org", "/docs/start/quickstart");
    await page.waitForURL("**/docs/start/quickstart");
    expect(await page.getByRole("link", { name: "API Keys" }).count()).toBeGreaterThan(0);
    expect(await pageDefects(page, `${stack.app}/docs/start/quickstart`)).toEqual([]);
  });

  it("weigh less than a page may", async () => {
    for (const path of ["/docs/reference/limits", "/docs/reference/jobs", "/docs/search?q=key"]) {
      const page = await newPage();
      expect(await compressedBytes(page, stack.app + path)).toBeLessThan(PAGE_BYTES_MOST);
    }
  });

  it("show one language at a time, by keyboard and without a script", async () => {
    const page = await newPage(false);
    await page.goto(`${stack.app}/docs/start/quickstart`);
    const group = page.getByRole("group", { name: "Language" }).first();
    await group.getByRole("radio", { name: "curl" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await group.getByRole("radio", { name: "Python" }).isChecked()).toBe(true);
    expect(await group.getByText("from openai import OpenAI").isVisible()).toBe(true);
    expect(await group.getByText("Content-Type: application/json").isVisible()).toBe(false);
  });

  it("remember the language from page to page", async () => {
    const page = await newPage();
    await page.goto(`${stack.app}/docs/start/quickstart`);
    await page.getByText("TypeScript", { exact: true }).first().click();
    await page.goto(`${stack.app}/docs/how-to/stream`);
    expect(await page.getByRole("radio", { name: "TypeScript" }).first().isChecked()).toBe(true);
  });

  it("find while one types", async () => {
    const page = await newPage();
    await page.goto(`${stack.app}/docs/search`);
    await page.getByLabel("Search the docs").pressSequentially("revoke");
    await page.locator("#found").getByRole("link", { name: "Revoke a key" }).first().click();
    await page.waitForURL("**/docs/how-to/revoke-a-key");
  });

  it("lead on a narrow screen to every page from each", async () => {
    const page = await newPage(false);
    await page.setViewportSize({ width: 320, height: 900 });
    await page.goto(`${stack.app}/docs/start/quickstart`);
    await page.getByText("All pages").click();
    await page.getByRole("navigation", { name: "Docs" }).getByText("Privacy").click();
    await page.waitForURL("**/docs/explanations/privacy");
  });
});

describe("links of the docs", () => {
  it("lead to what there is, anchors included", async () => {
    const { key } = await newPerson(stack);
    const documents = new Map<string, string>();
    for (const path of paths) documents.set(path, await html(path));
    const dead: string[] = [];
    const beside = new Set<string>();
    for (const [path, text] of documents) {
      for (const [, href = ""] of text.matchAll(/href="([^"]+)"/g)) {
        const target = new URL(href, stack.app + path);
        if (target.origin !== stack.app) continue;
        const document = documents.get(target.pathname);
        if (document === undefined) beside.add(target.pathname);
        else if (target.hash !== "" && !document.includes(`id="${target.hash.slice(1)}"`)) {
          dead.push(`${path}: ${href}`);
        }
      }
    }
    for (const path of beside) {
      const headers = { authorization: `Bearer ${key}`, accept: "text/html" };
      const { status } = await fetch(stack.app + path, { headers, redirect: "manual" });
      if (status >= 400) dead.push(`${path}: ${status}`);
    }
    expect(dead).toEqual([]);
  });
});

async function html(path: string): Promise<string> {
  const response = await fetch(stack.app + path, { headers: { accept: "text/html" } });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}
