// How Compare looks to whoever sees little or nothing, on any screen, and what it weighs.
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { compressedBytes, laidOutWrongly, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { atTheBench, lookedAt, TEXT } from "./workbench-visitor.ts";

const stack = inject("stack");

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

it("Compare is accessible and fits with four columns and all that it can show, in both themes", async () => {
  const { page } = await atTheBench(browser, stack, "/compare");
  await page.addInitScript({ content: axe.source });
  await page.reload();
  for (const _ of [1, 2]) await page.getByRole("button", { name: "Add a column" }).click();
  await page.getByLabel("Text to continue").fill(TEXT);
  await page.locator("#D-field-temperature").fill("9");
  await page.getByRole("button", { name: "Continue in all" }).click();
  await page.locator("#D-problem").waitFor();
  await page.locator("#stop:disabled").waitFor();
  await page.locator("#A-text .token").first().click();
  await page.getByRole("button", { name: "Score the text in each Model" }).click();
  await page.getByText(/^The text is scored/).waitFor();
  await page.getByText("Show code").click();
  expect(await lookedAt(page)).toEqual([]);
}, 120_000);

it("Compare comes back with four columns, and moves nothing that was seen before", async () => {
  const { page } = await atTheBench(browser, stack, "/compare");
  for (const _ of [1, 2]) await page.getByRole("button", { name: "Add a column" }).click();
  await page.getByLabel("Text to continue").fill(TEXT);
  await page.locator("#A-settings").getByText("When to stop").click();
  await page.locator("#A-field-min_tokens").fill("1");
  await page.route(/compare[^/]*\.js/, async (route) => {
    await page.waitForFunction(() => performance.getEntriesByType("paint").length > 0);
    await route.continue();
  });
  await page.reload();
  await page.locator("#counter", { hasText: "costs at most" }).waitFor();
  expect(await page.locator("#D-column").isVisible()).toBe(true);
  expect(await laidOutWrongly(page)).toEqual([]);
});

it("Compare is accessible and fits before anything is written, within 60 KB", async () => {
  const { page } = await atTheBench(browser, stack, "/compare");
  expect(await pageDefects(page, `${stack.app}/compare`)).toEqual([]);
  expect(await compressedBytes(page, `${stack.app}/compare`)).toBeLessThan(PAGE_BYTES_MOST);
});
