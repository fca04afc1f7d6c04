// How the Loom asks a Model: with which fields, at what cost, and how it stops.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { Engine } from "./engine.ts";
import { said, soon, tree, writeBeginning } from "./loom-visitor.ts";
import { admin } from "./person.ts";
import { atTheBench } from "./workbench-visitor.ts";

const stack = inject("stack");
const engine = new Engine(stack);

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Somebody whose tree begins with some words. */
async function begun(): Promise<{ id: string; page: Page }> {
  const { id, page } = await atTheBench(browser, stack, "/loom");
  await writeBeginning(page);
  return { id, page };
}

async function grow(page: Page): Promise<void> {
  await tree(page).focus();
  await page.keyboard.press("g");
  await said(page).filter({ hasText: "Grown." }).waitFor();
}

/** As many tokens as that, also where the Model would end before. */
async function askFor(page: Page, tokens: number): Promise<void> {
  await page.getByLabel("Tokens each").fill(String(tokens));
  await page.getByText("When to stop").click();
  await page.getByLabel("Ignore the end of text").selectOption("true");
}

/** The bodies of the Completions that the page asks for from now on. */
function bodies(page: Page): Record<string, unknown>[] {
  const sent: Record<string, unknown>[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/completions")) sent.push(request.postDataJSON());
  });
  return sent;
}

describe("growing", () => {
  it("asks with every field that is filled in, and leaves the others to the API", async () => {
    const { page } = await begun();
    const sent = bodies(page);
    await page.getByRole("textbox", { name: "Branches" }).fill("2");
    await page.getByLabel("Tokens each").fill("6");
    await page.getByLabel("Seed", { exact: true }).fill("11");
    await page.getByText("How to sample").click();
    await page.getByLabel("Top k").fill("40");
    await page.getByLabel("Presence penalty").fill("0.5");
    await page.getByText("When to stop").click();
    await page.getByLabel("Stop, one a line").fill("\\n\\n");
    await grow(page);
    const {
      logprobs: _,
      return_token_ids: __,
      return_tokens_as_token_ids: ___,
      ...asked
    } = sent[0] ?? {};
    expect(asked).toEqual({
      ...{ model: "local", prompt: "Call me", n: 2, max_tokens: 6, temperature: 1, seed: 11 },
      ...{ top_k: 40, presence_penalty: 0.5, stop: ["\n\n"], stream: true },
    });
    await page.reload();
    await expect.poll(() => page.getByLabel("Top k").inputValue(), soon).toBe("40");
  });

  it("pins the seed of a branch, and then grows the same branches again", async () => {
    const { page } = await begun();
    await grow(page);
    await page.keyboard.press("ArrowRight");
    await page.getByText("Seed of this branch").waitFor();
    const shown = (await page.locator(".loom-seed .mono").textContent()) ?? "";
    expect(shown).toMatch(/^\d+$/);
    await page.getByRole("button", { name: "Pin it" }).click();
    expect(await page.getByLabel("Seed", { exact: true }).inputValue()).toBe(shown);
    await tree(page).focus();
    await page.keyboard.press("ArrowLeft");
    await grow(page);
    const lines = await page.locator(".loom-snippet").allTextContents();
    expect(lines).toHaveLength(1 + 4 + 4);
    expect(lines.slice(5)).toEqual(lines.slice(1, 5));
  });

  it("pins what gives a branch in the middle of its growth again, alone", async () => {
    const { page } = await begun();
    await grow(page);
    for (const key of ["ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await page.getByText("Seed of this branch").waitFor();
    await page.getByRole("button", { name: "Pin it" }).click();
    await page.getByRole("textbox", { name: "Branches" }).fill("1");
    await tree(page).focus();
    await page.keyboard.press("ArrowLeft");
    await grow(page);
    const lines = await page.locator(".loom-snippet").allTextContents();
    expect(lines).toHaveLength(1 + 4 + 1);
    expect(lines[5]).toBe(lines[3]);
    expect(lines[5]).not.toBe(lines[1]);
  });

  it("says before it grows what that costs at most, and charges no more", async () => {
    const { id, page } = await begun();
    const counter = page.locator(".loom-counter");
    await counter
      .filter({ hasText: "2 tokens; with up to 96 more this costs at most 98" })
      .waitFor();
    await page.getByRole("textbox", { name: "Branches" }).fill("3");
    await counter.filter({ hasText: "costs at most 74 of your 100,000" }).waitFor();
    await grow(page);
    const { tokens } = await admin<{ tokens: { spent: number } }>(stack, "GET", `/people/${id}`);
    expect(tokens.spent).toBeGreaterThan(2);
    expect(tokens.spent).toBeLessThanOrEqual(74);
  });

  it("counts what it is asked with also where the browser has no room to keep that", async () => {
    const { page } = await begun();
    await page.locator(".loom-counter", { hasText: "costs at most 98" }).waitFor();
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("There is no room.", "QuotaExceededError");
      };
    });
    await page.getByRole("textbox", { name: "Branches" }).fill("3");
    await page.locator(".loom-counter", { hasText: "costs at most 74" }).waitFor();
  });

  it("says which field cannot be read, and sends nothing", async () => {
    const { page } = await begun();
    const sent = bodies(page);
    await page.getByRole("textbox", { name: "Branches" }).fill("1000000000");
    await tree(page).focus();
    await page.keyboard.press("g");
    await said(page).filter({ hasText: "Branches must be a whole number from 1 to 128" }).waitFor();
    await page.getByRole("textbox", { name: "Branches" }).fill("2");
    await page.getByLabel("Temperature").fill("warm");
    await tree(page).focus();
    await page.keyboard.press("g");
    await said(page).filter({ hasText: "temperature: “warm” is no number." }).waitFor();
    expect(sent).toEqual([]);
  });

  it("changes nothing that is being written, and stops what Keep has cut", async () => {
    const { page } = await begun();
    await engine.arm("drip", { count: 2, ms: 1 });
    await page.getByRole("textbox", { name: "Branches" }).fill("1");
    await askFor(page, 4_000);
    await tree(page).focus();
    await page.keyboard.press("g");
    const lines = page.locator(".loom-snippet");
    await expect
      .poll(async () => (await lines.nth(1).textContent())?.length ?? 0, soon)
      .toBeGreaterThan(9);
    for (const key of ["ArrowRight", "t", "ArrowRight", "s"]) await page.keyboard.press(key);
    await said(page).filter({ hasText: "Stop it first" }).waitFor();
    for (const key of ["e", "w", "g", "m"]) await page.keyboard.press(key);
    expect(await lines.count()).toBe(2);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await tree(page).focus();
    for (const key of ["ArrowLeft", "g"]) await page.keyboard.press(key);
    await engine.busy(2);
    for (const key of ["ArrowRight", "k"]) await page.keyboard.press(key);
    await engine.busy(1);
    await page.keyboard.press("Escape");
    await engine.idle();
    await engine.disarm();
  });

  it("is said to be over once all of it is shown", async () => {
    const { page } = await begun();
    await page.getByLabel("Tokens each").fill("6");
    // What stands there when the words come, and not when somebody gets to look.
    const shown = await page.evaluateHandle(() => {
      const status = document.querySelector(".loom-status");
      const seen = { text: "" };
      new MutationObserver((_, watch) => {
        if (status?.textContent !== "Grown.") return;
        watch.disconnect();
        seen.text = document.querySelector(".loom-tree")?.textContent ?? "";
      }).observe(document.body, { childList: true, subtree: true });
      return seen;
    });
    await grow(page);
    const then = await shown.evaluate(({ text }) => text);
    expect(then).toContain("Call me");
    expect(then).not.toContain("growing");
    expect(await page.locator(".loom-tree").textContent()).toBe(then);
  });

  it("is stopped where it begins in the moment in which another tree is opened", async () => {
    const { page } = await begun();
    await engine.arm("drip", { ms: 50 });
    await askFor(page, 4_000);
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>(".loom-trees button")) {
        if (button.textContent === "New") button.click();
      }
      const key = new KeyboardEvent("keydown", { key: "g", bubbles: true });
      document.querySelector(".loom-list")?.dispatchEvent(key);
    });
    await said(page).filter({ hasText: "Stopped. What came is kept." }).waitFor();
    await engine.idle();
    await engine.disarm();
    expect(await page.locator(".loom-text").textContent()).toBe("");
    const trees = page.locator(".loom-trees select");
    expect(await trees.locator("option").allTextContents()).toEqual(["Tree 2", "Tree"]);
    await trees.selectOption({ label: "Tree" });
    await page.locator(".loom-text", { hasText: "Call me" }).waitFor();
    expect(await page.locator(".loom-snippet").allTextContents()).toEqual(["Call me"]);
  });

  it("asks once for a key that is held, in the tree and on its button", async () => {
    const { page } = await begun();
    const sent = bodies(page);
    const held = async (key: string) => {
      for (const _ of [1, 2, 3]) await page.keyboard.down(key);
      await page.keyboard.up(key);
      await said(page).filter({ hasText: "Grown." }).waitFor();
    };
    await tree(page).focus();
    await held("g");
    expect(sent).toHaveLength(1);
    await page.getByRole("button", { name: "Grow", exact: true }).focus();
    await held("Enter");
    expect(sent).toHaveLength(2);
  });

  it("stops the Model where it is stopped, and keeps what came", async () => {
    const { page } = await begun();
    await engine.arm("drip", { ms: 1 });
    await askFor(page, 2_000);
    await tree(page).focus();
    await page.keyboard.press("g");
    const line = page.locator(".loom-snippet").nth(1);
    // Some tokens: an end of a line shows as a sign.
    await expect.poll(async () => (await line.textContent())?.length ?? 0, soon).toBeGreaterThan(9);
    expect((await engine.counters()).running).toBe(4);
    await page.keyboard.press("Escape");
    await said(page).filter({ hasText: "Stopped. What came is kept." }).waitFor();
    await engine.idle();
    await engine.disarm();
    expect((await line.textContent())?.length).toBeGreaterThan(9);
  });
});
