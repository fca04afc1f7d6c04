// The pages of model text before a Cold Model: nothing starts it but a request, the wait is told, and it
// can be left. The gateway gives up waiting before the Model is there, as with the largest ones.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { Engine } from "./engine.ts";
import { admin } from "./person.ts";
import { type StackProcess, startStack } from "./stack-process.ts";
import { until } from "./until.ts";
import { atTheBench } from "./workbench-visitor.ts";

const WAITING = /^local was Cold and is starting, \d+ s so far.*Waiting costs no tokens/;

/** A start, and the pause before a page asks again. */
const soon = { timeout: 30_000 };

let browser: Browser;
let running: StackProcess;
let engine: Engine;

beforeAll(async () => {
  browser = await launchBrowser();
  // Who is told to come again comes in five seconds; it must not be Cold again by then.
  running = await startStack({ coldStartSeconds: 4, idleSeconds: 7, coldHoldSeconds: 2 });
  engine = new Engine(running.stack);
});
afterAll(async () => {
  await browser.close();
  await running.stop();
});

/** Cold by the gateway's word and the engine's. */
beforeEach(async () => {
  interface States {
    data: { state: string }[];
  }
  await until(
    "a Cold Model",
    () => admin<States>(running.stack, "GET", "/models"),
    ({ data }) => data[0]?.state === "cold",
  );
  await until(
    "a Cold engine",
    () => engine.counters(),
    ({ up }) => up === 0,
  );
});

/** A page that waits would keep the Model wanted. */
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

const at = async (path: string) => (await atTheBench(browser, running.stack, path)).page;
const starts = async () => (await engine.counters()).coldStarts;

async function spent(page: Page): Promise<string | null> {
  await page.goto(running.stack.app);
  return page.locator(".figures").textContent();
}

describe("a Cold Model", () => {
  it("is not started by writing, whose cost is estimated", async () => {
    const before = await starts();
    const page = await at("/workbench");
    await page.getByLabel("Text to continue").fill("Call me");
    await page.locator("#counter", { hasText: "Up to about 9 tokens" }).waitFor();
    expect(await page.locator("#counter").textContent()).toContain("local is not running");
    expect(await starts()).toBe(before);
  });

  it("is waited for as long as it takes, in words, and then writes", async () => {
    const page = await at("/workbench");
    await page.getByLabel("Text to continue").fill("Call me");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator("#status", { hasText: WAITING }).waitFor();
    await page.locator(".token.model").first().waitFor(soon);
    await page.locator("#text-frame[aria-busy=false]").waitFor();
    expect(await page.locator("#status").textContent()).toMatch(/^Ended/);
  });

  it("is not waited for any more where the wait is stopped, and nothing is charged", async () => {
    const page = await at("/compare");
    await page.getByLabel("Text to continue").fill("Call me");
    await page.getByRole("button", { name: "Continue in all" }).click();
    await page.locator("#A-status", { hasText: WAITING }).waitFor();
    await page.locator("#B-status", { hasText: WAITING }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#A-status", { hasText: "Stopped." }).waitFor();
    await page.locator("#B-status", { hasText: "Stopped." }).waitFor();
    expect(await page.locator(".token").count()).toBe(0);
    expect(await spent(page)).toMatch(/Spent\s*0(?!\d)/i);
  });

  it("leaves no empty branches in a tree whose growing is stopped meanwhile", async () => {
    const page = await at("/loom");
    await page.getByRole("tree", { name: "Branches" }).focus();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Text" }).fill("Call me");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("tree", { name: "Branches" }).focus();
    await page.keyboard.press("g");
    await page.locator(".loom-status", { hasText: WAITING }).waitFor();
    expect(await page.getByRole("treeitem").count()).toBe(5);
    await page.keyboard.press("Escape");
    await page.locator(".loom-status", { hasText: "Stopped." }).waitFor();
    await expect.poll(() => page.getByRole("treeitem").count()).toBe(1);
  });
});
