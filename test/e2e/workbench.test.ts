// The Workbench in a real browser, before the whole stack: what it shows is what the API says.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { Engine } from "./engine.ts";
import { admin } from "./person.ts";
import {
  type At,
  atTheBench,
  byScript,
  continued,
  drawnTokens,
  ended,
  levelOfBits,
  shownNats,
  TEXT,
} from "./workbench-visitor.ts";

const stack = inject("stack");
const engine = new Engine(stack);

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe("the Workbench", () => {
  it("shows the API's numbers for the same seed, and each in its step's colour", async () => {
    const { page } = await atTheBench(browser, stack);
    await continued(page);
    const choice = await byScript(stack, { prompt: TEXT, max_tokens: 24, seed: 7, logprobs: 20 });
    const drawn = await drawnTokens(page);
    expect(drawn.map(({ text }) => text).join("")).toBe(choice.text);
    const said = choice.logprobs.token_logprobs;
    expect(drawn).toHaveLength(said.length);
    for (const [at, { says, level }] of drawn.entries()) {
      const logprob = said[at] ?? Number.NaN;
      expect(says).toContain(shownNats(logprob));
      expect(level).toBe(levelOfBits(logprob));
    }
    const colours = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).background));
    const legend = await colours("#legend li");
    expect(new Set(legend).size).toBe(7);
    const painted = await colours(".token.model");
    expect(painted).toEqual(drawn.map(({ level }) => legend[level]));
    const nats = said.reduce((sum, logprob) => sum - logprob, 0);
    expect(await page.locator("#score-nats").textContent()).toBe(nats.toFixed(4));
    expect(await page.locator("#score-perplexity").textContent()).toBe(
      Math.exp(nats / said.length).toFixed(2),
    );
  });

  it("puts a text together out of tokens that split its characters", async () => {
    const { page } = await atTheBench(browser, stack);
    await page.getByLabel("Text to continue").fill(TEXT);
    await page.getByRole("button", { name: "Score the text" }).click();
    await page.getByText(/^The text is scored/).waitFor();
    expect(await page.locator("#model-text").textContent()).toBe(TEXT);
    expect(await page.locator(".token.prompt.piece").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Take it into the text" }).click();
    expect(await page.getByLabel("Text to continue").inputValue()).toBe(TEXT);
  });

  it("branches from an alternative by keyboard alone", async () => {
    const { page } = await atTheBench(browser, stack);
    await page.getByLabel("Most tokens").fill("8");
    await page.getByLabel("Text to continue").focus();
    await page.keyboard.type("Call me");
    await page.keyboard.press("Control+Enter");
    await ended(page);
    const before = await page.locator("#model-text").textContent();
    await page.locator(".token[tabindex='0']").focus();
    for (const _ of [1, 2, 3]) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    for (const _ of [1, 2, 3, 4]) await page.keyboard.press("Tab");
    const focused = page.locator("#alternatives button:focus");
    const name = (await focused.locator(".name").textContent()) ?? "";
    await page.keyboard.press("Enter");
    await page.locator("#token-name", { hasText: name }).waitFor();
    await ended(page);
    const after = (await page.locator("#model-text").textContent()) ?? "";
    expect(after).not.toBe(before);
    const kept = await page.locator(".token").nth(3).textContent();
    expect(kept?.trim()).toBe(name.replaceAll("␣", ""));
    expect(await page.locator(".token").count()).toBe(3 + 1 + 8);
  });

  it("shows a whole vocabulary whose probabilities sum to 1, and finds any token in it", async () => {
    const { page } = await atTheBench(browser, stack);
    await continued(page);
    await page.locator(".token.model").nth(2).click();
    await page.getByRole("button", { name: "Whole vocabulary here" }).click();
    await page.locator("#vocabulary-sum", { hasText: "1.000000" }).waitFor();
    expect(await page.locator("#vocabulary-size").textContent()).toBe("50,257");
    expect(await page.locator("#vocabulary-top li").count()).toBe(200);
    const own = await page.locator("#token-rank").textContent();
    expect(await page.locator("#vocabulary-top .chosen .rank").textContent()).toBe(own);
    await page.getByLabel("Find a token").fill(" whale");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByText(/token 22206: rank/).waitFor();
  });

  it("stops the Model where it is stopped", async () => {
    const { page } = await atTheBench(browser, stack);
    await engine.arm("drip", { ms: 1 });
    await page.getByLabel("Text to continue").fill("Call me");
    await page.getByLabel("Most tokens").fill("4000");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator(".token.model").nth(3).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Stopped.").waitFor();
    await engine.idle();
    await engine.disarm();
    expect(await page.locator(".token.model").count()).toBeGreaterThan(3);
  });

  it("has nothing to take where nothing came, and keeps the text that was typed", async () => {
    const { page } = await atTheBench(browser, stack);
    await page.getByLabel("Text to continue").fill("Call me");
    await engine.arm("hang");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator("#take:disabled").waitFor();
    await engine.busy(1);
    await page.keyboard.press("Escape");
    await page.getByText("Stopped.").waitFor();
    await engine.disarm();
    expect(await page.locator("#text-frame").isVisible()).toBe(false);
    await continued(page);
    await page.locator("#take:enabled").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await page.locator("#text-frame").isVisible()).toBe(false);
    expect(await page.getByLabel("Text to continue").inputValue()).toBe(TEXT);
  });

  it("says after a request what is left, without its Hold, and sends once for a held key", async () => {
    const { id, page } = await atTheBench(browser, stack);
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/completions")) sent += 1;
    });
    await page.getByLabel("Text to continue").fill("Call me");
    await page.getByLabel("Most tokens").fill("24");
    await page.getByLabel("Text to continue").focus();
    await page.keyboard.down("Control");
    for (const _ of [1, 2, 3]) await page.keyboard.down("Enter");
    for (const key of ["Enter", "Control"]) await page.keyboard.up(key);
    await ended(page);
    expect(sent).toBe(1);
    const { tokens } = await admin<{ tokens: { available: number } }>(
      stack,
      "GET",
      `/people/${id}`,
    );
    const left = tokens.available.toLocaleString("en-US");
    await page.locator("#counter", { hasText: `of your ${left}.` }).waitFor();
  });

  it("says the API's own words where it refuses", async () => {
    const { page } = await atTheBench(browser, stack);
    await page.getByLabel("Text to continue").fill("Call me");
    await page.getByLabel("Temperature").fill("3");
    await page.getByRole("button", { name: "Continue" }).click();
    const words = (await page.getByRole("alert").textContent()) ?? "";
    expect(words).toContain("temperature");
  });

  it("stops working with the session, and shows its key nowhere", async () => {
    const { page } = await atTheBench(browser, stack);
    const keys: string[] = [];
    page.on("request", (request) => {
      const sent = request.headers().authorization;
      if (sent !== undefined) keys.push(sent.replace("Bearer ", ""));
    });
    await continued(page);
    const key = keys.at(-1) ?? "";
    expect(key).toMatch(/^ctn_/);
    expect(await page.content()).not.toContain(key);
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(kept).not.toContain(key);
    const other = await page.context().newPage();
    await other.goto(`${stack.app}/sessions`);
    await other.getByRole("button", { name: "Sign out everywhere" }).click();
    await other.waitForURL(/sign-in/);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("You are signed out.").waitFor();
    const late = await fetch(`${stack.api}/account`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(late.status).toBe(401);
  });

  it("spends the tokens of whoever is signed in, and nobody else's", async () => {
    const [mine, theirs] = [await atTheBench(browser, stack), await atTheBench(browser, stack)];
    await continued(mine.page);
    const spent = async ({ id }: At) =>
      (await admin<{ tokens: { spent: number } }>(stack, "GET", `/people/${id}`)).tokens.spent;
    expect(await spent(mine)).toBeGreaterThan(0);
    expect(await spent(theirs)).toBe(0);
  });

  it("keeps a prompt until it is deleted, for nobody but who saved it", async () => {
    const [mine, theirs] = [await atTheBench(browser, stack), await atTheBench(browser, stack)];
    const { page } = mine;
    await page.getByLabel("Text to continue").fill(TEXT);
    await page.getByText("Saved prompts").click();
    await page.getByLabel("Name").fill("a whale");
    await page.getByRole("button", { name: "Save the text" }).click();
    await page.getByText("Saved as “a whale”.").waitFor();
    await page.reload();
    await page.getByText("Saved prompts").click();
    await page.getByRole("button", { name: "a whale" }).click();
    await page.waitForFunction(
      (text) => document.querySelector<HTMLTextAreaElement>("#prompt")?.value === text,
      TEXT,
    );
    const read = (path: string) =>
      fetch(path).then(async (r) => [r.status, await r.text()] as const);
    const [, list] = await page.evaluate(read, "/app/prompts");
    const { prompts } = JSON.parse(list) as { prompts: { id: string; name: string }[] };
    const path = `/app/prompts/${prompts[0]?.id}`;
    expect((await page.evaluate(read, path))[0]).toBe(200);
    expect((await theirs.page.evaluate(read, path))[0]).toBe(404);
    expect((await fetch(stack.app + path)).status).toBe(401);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByText("Deleted.").waitFor();
    expect((await page.evaluate(read, path))[0]).toBe(404);
  });
});
