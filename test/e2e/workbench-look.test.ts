// How the Workbench looks to whoever sees little or nothing, on any screen, and what it weighs.
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { compressedBytes, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { atTheBench, continued, lookedAt } from "./workbench-visitor.ts";

const stack = inject("stack");

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe("the Workbench", () => {
  it("is accessible and fits with all that it can show, in both themes", async () => {
    const { page } = await atTheBench(browser, stack);
    await page.addInitScript({ content: axe.source });
    await page.reload();
    await continued(page);
    await page.locator(".token.model").nth(2).click();
    await page.getByRole("button", { name: "Whole vocabulary here" }).click();
    await page.locator("#vocabulary-top li").first().waitFor();
    await page.getByText("Show code").click();
    expect(await lookedAt(page)).toEqual([]);
  }, 120_000);

  it("is accessible and fits at every width before anything is written, within 60 KB", async () => {
    const { page } = await atTheBench(browser, stack);
    expect(await pageDefects(page, `${stack.app}/workbench`)).toEqual([]);
    expect(await compressedBytes(page, `${stack.app}/workbench`)).toBeLessThan(PAGE_BYTES_MOST);
  });
});
