// Compare in a real browser, before the whole stack: each column is what the API gives a script.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { leave, newPlace, runBlock } from "../docs/run-block.ts";
import { launchBrowser, signIn } from "./browser.ts";
import { Engine } from "./engine.ts";
import { press, tabTo, write } from "./keyboard.ts";
import { admin, newPerson } from "./person.ts";
import type { StackProcess } from "./stack-process.ts";
import { SECOND_MODEL, startTwoModels } from "./two-models.ts";
import {
  type At,
  atTheBench,
  byScript,
  drawnTokens,
  levelOfBits,
  shownNats,
  TEXT,
} from "./workbench-visitor.ts";

const stack = inject("stack");
const engine = new Engine(stack);

let browser: Browser;
let two: StackProcess;

beforeAll(async () => {
  browser = await launchBrowser();
  two = await startTwoModels(stack);
});
afterAll(async () => {
  await browser.close();
  await two.stop();
});

const atCompare = () => atTheBench(browser, stack, "/compare");
const column = (page: Page, name: string) =>
  page.getByRole("region", { name: `Column ${name}`, exact: true });

/** All columns have ended, as they say themselves. */
async function allEnded(page: Page): Promise<void> {
  await page.locator("#stop:disabled").waitFor();
}

async function compared(page: Page, settings: Record<string, Record<string, string>>) {
  await page.getByLabel("Text to continue").fill(TEXT);
  for (const [name, fields] of Object.entries(settings)) {
    for (const [label, value] of Object.entries(fields)) {
      await column(page, name).getByLabel(label).fill(value);
    }
  }
  await page.getByRole("button", { name: "Continue in all" }).click();
  await allEnded(page);
}

const plain = { "Most tokens": "12", Temperature: "1", Seed: "7" };
const cooler = { "Most tokens": "12", Temperature: "0.5", Seed: "8" };

describe("Compare", () => {
  it("shows each column the API's numbers for its own settings, in the legend's colours", async () => {
    const { page } = await atCompare();
    await compared(page, { A: plain, B: cooler });
    const asked = { prompt: TEXT, max_tokens: 12, logprobs: 20 };
    const bodies = { A: { temperature: 1, seed: 7 }, B: { temperature: 0.5, seed: 8 } };
    for (const [name, settings] of Object.entries(bodies)) {
      const { text, logprobs } = await byScript(stack, { ...asked, ...settings });
      const drawn = await drawnTokens(page, `#${name}-text`);
      expect(drawn.map((one) => one.text).join("")).toBe(text);
      expect(drawn).toHaveLength(logprobs.token_logprobs.length);
      for (const [at, logprob] of logprobs.token_logprobs.entries()) {
        expect(drawn[at]?.says).toContain(shownNats(logprob));
        expect(drawn[at]?.level).toBe(levelOfBits(logprob));
      }
      const own = column(page, name);
      expect(await own.locator(`#${name}-seed-used`).textContent()).toBe(String(settings.seed));
      expect(await own.locator(`#${name}-tokens`).textContent()).toBe(String(drawn.length));
      expect(await own.locator(`#${name}-reason`).textContent()).toMatch(/^(length|stop)$/);
    }
  });

  it("marks in every column the first character that is another than in A", async () => {
    const { page } = await atCompare();
    await page.getByRole("button", { name: "Add a column" }).click();
    await compared(page, { A: plain, B: plain, C: cooler });
    const texts = await Promise.all(
      ["A", "C"].map((name) => page.locator(`#${name}-text`).textContent()),
    );
    const [a = "", c = ""] = texts.map((text) => text ?? "");
    const shared = [...a].findIndex((sign, at) => sign !== [...c][at]);
    const before = await page.locator("#C-text .token.marked").evaluate((marked) => {
      const all = [...(marked.parentElement?.children ?? [])];
      const up = all.slice(0, all.indexOf(marked)).map((one) => one.textContent);
      return [up.join("").length, up.join("").length + (marked.textContent ?? "").length];
    });
    expect(before[0]).toBeLessThanOrEqual(shared);
    expect(before[1]).toBeGreaterThan(shared);
    expect(await page.locator("#B-text .token.marked").count()).toBe(0);
    expect(await page.locator("#B-parting").textContent()).toBe(
      "B and A are alike as far as both go.",
    );
    expect(await page.locator("#C-parting").textContent()).toMatch(/^C and A /);
  });

  it("shows a refusal in the column it is of, and the others go on", async () => {
    const { page } = await atCompare();
    await compared(page, { A: plain, B: { ...plain, Temperature: "9" } });
    expect(await column(page, "B").getByRole("alert").textContent()).toContain("`temperature`");
    expect(await page.locator("#A-text .token").count()).toBeGreaterThan(0);
    expect(await column(page, "A").getByRole("alert").count()).toBe(0);
  });

  it("takes an error back once its field is mended, and says it again only where it is sent", async () => {
    const { page } = await atCompare();
    await compared(page, { A: plain, B: { ...plain, Temperature: "0,5" } });
    const alert = column(page, "B").getByRole("alert");
    expect(await alert.textContent()).toContain("“0,5” is no number");
    await page.getByText("Show code").click();
    await column(page, "B").getByLabel("Temperature").fill("0,7");
    expect(await alert.count()).toBe(0);
    await column(page, "B").getByLabel("Temperature").fill("0.5");
    await page.locator("#code", { hasText: "0.5" }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  it("leaves alternatives by Escape, and no column stops; a held key sends once", async () => {
    const { page } = await atCompare();
    await compared(page, { A: { ...plain, "Most tokens": "3" }, B: plain });
    await column(page, "B").getByLabel("Most tokens").fill("4000");
    await column(page, "B").getByText("When to stop").click();
    await column(page, "B").getByLabel("Ignore the end of text").selectOption("true");
    await engine.arm("drip", { count: 9, ms: 1 });
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/completions")) sent += 1;
    });
    await page.getByLabel("Text to continue").focus();
    await page.keyboard.down("Control");
    for (const _ of [1, 2, 3]) await page.keyboard.down("Enter");
    for (const key of ["Enter", "Control"]) await page.keyboard.up(key);
    await page.locator("#A-stop:disabled").waitFor();
    await page.locator("#B-text .token").nth(2).waitFor();
    expect(sent).toBe(2);
    await page.locator("#A-text .token").nth(1).focus();
    await page.keyboard.press("Enter");
    await page.locator("#A-alternatives button:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#A-text .token:focus").waitFor();
    expect((await engine.counters()).running).toBe(1);
    expect(await page.locator("#B-stop:enabled").count()).toBe(1);
    await page.keyboard.press("Escape");
    await engine.idle();
    await engine.disarm();
    await allEnded(page);
    await page
      .locator("#B-parting", { hasText: "are alike" })
      .or(page.locator("#B-parting", { hasText: "differ" }))
      .waitFor();
  });

  it("says before sending what all columns cost at most, and charges no more", async () => {
    const { id, page } = await atCompare();
    await page.getByLabel("Text to continue").fill(TEXT);
    const person = await newPerson(stack);
    const call = await person.call("POST", "/v1/tokenize", { model: "local", prompt: TEXT });
    const { count } = (await call.json()) as { count: number };
    const most = 2 * count + 2 * 64;
    await page.locator("#counter", { hasText: `costs at most ${most} of your 100,000` }).waitFor();
    await page.getByRole("button", { name: "Continue in all" }).click();
    await allEnded(page);
    const { tokens } = await admin<{ tokens: { spent: number } }>(stack, "GET", `/people/${id}`);
    expect(tokens.spent).toBeGreaterThan(2 * count);
    expect(tokens.spent).toBeLessThanOrEqual(most);
  });

  it("stops every Model where all are stopped, and one where one is", async () => {
    const { page } = await atCompare();
    await engine.arm("drip", { count: 9, ms: 1 });
    await page.getByLabel("Text to continue").fill("Call me");
    for (const name of ["A", "B"]) {
      await column(page, name).getByLabel("Most tokens").fill("4000");
      await column(page, name).getByText("When to stop").click();
      await column(page, name).getByLabel("Ignore the end of text").selectOption("true");
    }
    await page.getByRole("button", { name: "Continue in all" }).click();
    // One that is a line's end takes no room.
    for (const name of ["A", "B"]) {
      await page.locator(`#${name}-text .token`).nth(2).waitFor({ state: "attached" });
    }
    await column(page, "A").getByRole("button", { name: "Stop A" }).click();
    await engine.busy(1);
    await page.keyboard.press("Escape");
    await engine.idle();
    await engine.disarm();
    await allEnded(page);
    expect(await page.locator("#A-text .token").count()).toBeGreaterThan(2);
  });

  it("goes by keyboard alone: a column more, all sent, a token opened, another one chosen", async () => {
    const { page } = await atCompare();
    await write(page, page.getByLabel("Text to continue"), "Call me");
    await press(page, page.getByRole("button", { name: "Add a column" }));
    const third = column(page, "C");
    expect(await third.getByLabel("Model").evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
    await write(page, third.getByLabel("Most tokens"), "6");
    await write(page, third.getByLabel("Seed"), "3");
    await page.keyboard.press("Control+Enter");
    await allEnded(page);
    const before = await page.locator("#C-text").textContent();
    await tabTo(page, page.locator("#C-text .token[tabindex='0']"));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const other = page.locator("#C-alternatives button:not(.chosen)").first();
    await tabTo(page, other);
    await page.keyboard.press("Enter");
    await allEnded(page);
    await expect.poll(() => page.locator("#C-text .token").count()).toBe(1 + 1 + 6);
    expect(await page.locator("#C-text").textContent()).not.toBe(before);
    await tabTo(page, third.getByRole("button", { name: "Remove" }));
    await page.keyboard.press("Enter");
    expect(await third.count()).toBe(0);
  });

  it("comes back after a reload with its text and columns, without answers, in its tab alone", async () => {
    const { page } = await atCompare();
    await page.getByRole("button", { name: "Add a column" }).click();
    await column(page, "B").getByRole("button", { name: "Remove" }).click();
    await column(page, "C").getByText("When to stop").click();
    await compared(page, {
      A: plain,
      C: { ...cooler, "Stop, one a line": "\\n\n whale", "Top p": "0,5" },
    });
    await page.reload();
    expect(await page.getByLabel("Text to continue").inputValue()).toBe(TEXT);
    const shown = page.getByRole("heading", { name: /^Column/ });
    expect(await shown.allTextContents()).toEqual(["Column A", "Column C"]);
    expect(await column(page, "A").getByLabel("Seed").inputValue()).toBe("7");
    for (const [label, value] of [
      ["Temperature", "0.5"],
      ["Top p", "0,5"],
      ["Stop, one a line", "\\n\n whale"],
    ] as const) {
      const field = column(page, "C").getByLabel(label);
      expect(await field.inputValue()).toBe(value);
      expect(await field.isVisible()).toBe(true);
    }
    expect(await page.locator(".token").count()).toBe(0);
    const other = await page.context().newPage();
    await other.goto(`${stack.app}/compare`);
    expect(await other.getByLabel("Text to continue").inputValue()).toBe("");
  });

  it("shows nothing of it to somebody else who signs in there", async () => {
    const { page } = await atCompare();
    await page.getByLabel("Text to continue").fill("a secret");
    await page.getByRole("button", { name: "Add a column" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    const email = `${crypto.randomUUID()}@example.org`;
    await admin(stack, "POST", "/people", { email, role: "member" });
    await signIn(page, stack, email, "/compare");
    await page.waitForURL(`${stack.app}/compare`);
    expect(await page.getByLabel("Text to continue").inputValue()).toBe("");
    expect(await column(page, "C").count()).toBe(0);
  });

  it("works in a browser that refuses to keep anything", async () => {
    const { page } = await atCompare();
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException("Access is denied.", "SecurityError");
          },
        });
      }
    });
    const errors: unknown[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.reload();
    await page.getByRole("button", { name: "Add a column" }).click();
    await compared(page, { A: plain, B: plain, C: plain });
    expect(await page.locator("#C-text .token").count()).toBeGreaterThan(0);
    // As where it is left: what goes wrong then, nobody hears of.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    expect(errors).toEqual([]);
  });

  it("shows a loop that gives a script what the columns show", async () => {
    const { page } = await atCompare();
    await compared(page, { A: plain, B: cooler });
    const said = await Promise.all(
      ["A", "B"].map((name) => page.locator(`#${name}-text`).textContent()),
    );
    await page.getByText("Show code").click();
    const place = newPlace(stack.app, (await newPerson(stack)).key);
    for (const [at, language] of ["python", "ts"].entries()) {
      await page.getByLabel("Language").selectOption({ index: at });
      const code = (await page.locator("#code").textContent()) ?? "";
      const text = code.replace("YOUR_API_KEY", place.key);
      const block = { language, text, number: at } as Parameters<typeof runBlock>[0];
      const { status, output } = await runBlock(block, place);
      expect(status, output).toBe(0);
      for (const one of said) expect(output).toContain(one);
    }
    leave(place);
  });
});

describe("Compare with two Models", () => {
  const atTwo = (): Promise<At> => atTheBench(browser, two.stack, "/compare");

  it("begins with one in each column, and shows what each gives", async () => {
    const { page } = await atTwo();
    const chosen = page.locator(".compare-column:not([hidden]) [id$='-model']");
    const models = await chosen.evaluateAll((all) =>
      all.map((one) => (one as HTMLSelectElement).value),
    );
    expect(models).toEqual(["local", SECOND_MODEL]);
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (!request.url().endsWith("/v1/completions")) return;
      sent.push((request.postDataJSON() as { model: string }).model);
    });
    await compared(page, { A: plain, B: plain });
    expect(sent.sort()).toEqual(["local", SECOND_MODEL]);
    expect(await page.locator("#B-text .token").count()).toBeGreaterThan(0);
  });

  it("scores the text once in each Model, with the API's numbers", async () => {
    const { page } = await atTwo();
    await page.getByRole("button", { name: "Add a column" }).click();
    await page.getByLabel("Text to continue").fill(TEXT);
    await page.getByRole("button", { name: "Score the text in each Model" }).click();
    const scored = page.getByText(/^The text is scored/);
    await expect.poll(() => scored.count(), { timeout: 30_000 }).toBe(2);
    const body = { prompt: TEXT, max_tokens: 0, echo: true, logprobs: 0 };
    const { logprobs } = await byScript(two.stack, body);
    const known = logprobs.token_logprobs.filter((one) => one !== null);
    const nats = known.reduce((sum, one) => sum - one, 0);
    // The first token, " Call" or "C", has no score, so its bytes do not count.
    const first = (await page.locator("#score-texts .token").first().textContent()) ?? "";
    const bytes = Buffer.byteLength(TEXT) - Buffer.byteLength(first);
    const rows = await page
      .locator("#score-rows tr")
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    expect(rows.map(([model]) => model)).toEqual(["local", SECOND_MODEL]);
    for (const row of rows) {
      expect(row[2]).toBe(nats.toFixed(4));
      expect(row[3]).toBe((nats / Math.LN2).toFixed(2));
      expect(row[5]).toBe((nats / Math.LN2 / bytes).toFixed(3));
      expect(row[6]).toBe(Math.exp(nats / known.length).toFixed(2));
    }
    const shown = await page.locator("#score-texts .model-text").allTextContents();
    expect(shown).toEqual([TEXT, TEXT]);
  });
});
