// What a person presses or looks at in the Loom while it draws itself anew: it stays the same.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser } from "./browser.ts";
import { Engine } from "./engine.ts";
import { said, soon, tree, writeBeginning } from "./loom-visitor.ts";
import { atTheBench } from "./workbench-visitor.ts";

const stack = inject("stack");
const engine = new Engine(stack);

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(() => engine.disarm());
afterAll(() => browser.close());

const snippets = (page: Page) => page.locator(".loom-snippet");

/** Somebody whose tree begins with some words, and who has filled in these fields. */
async function begun(fields: Readonly<Record<string, string>>): Promise<Page> {
  const { page } = await atTheBench(browser, stack, "/loom");
  await writeBeginning(page);
  for (const [name, value] of Object.entries(fields)) {
    await page.getByRole("textbox", { name, exact: true }).fill(value);
  }
  await tree(page).focus();
  return page;
}

/** Two branches that are being written, until the test is over. */
async function growing(): Promise<Page> {
  const page = await begun({ Branches: "2", "Tokens each": "4000", Seed: "1" });
  await engine.arm("drip", { ms: 1 });
  await page.keyboard.press("g");
  await longer(snippets(page).nth(2), 0);
  return page;
}

/** Presses on it, and lets go once `meanwhile` has come to pass. */
async function press(page: Page, place: Locator, meanwhile: () => Promise<void>): Promise<void> {
  const box = await place.boundingBox();
  if (box === null) throw new Error("it is not to be seen");
  await page.mouse.move(box.x + Math.min(12, box.width / 2), box.y + box.height / 2);
  await page.mouse.down();
  await meanwhile();
  await page.mouse.up();
}

/** Waits until there is more text than so many characters; says how many. */
async function longer(place: Locator, than: number): Promise<number> {
  const length = async () => (await place.textContent())?.length ?? 0;
  await expect.poll(length, soon).toBeGreaterThan(than);
  return length();
}

/** Until something has been drawn that was not there before. */
async function drawnOn(page: Page): Promise<void> {
  const text = snippets(page).nth(1);
  await longer(text, await longer(text, 0));
}

describe("while a Model writes", () => {
  it("a branch that is pressed in the list is selected", async () => {
    const page = await growing();
    await press(page, snippets(page).nth(2), () => drawnOn(page));
    const line = page.getByRole("treeitem").nth(2);
    await expect.poll(() => line.getAttribute("aria-selected"), soon).toBe("true");
  });

  it("a branch that is pressed below the text is selected, and one that is gone to stays so", async () => {
    const page = await growing();
    const card = page.locator(".loom-card").nth(1);
    await card.focus();
    await drawnOn(page);
    expect(await card.evaluate((one) => one === document.activeElement)).toBe(true);
    await press(page, card, () => drawnOn(page));
    const line = page.getByRole("treeitem").nth(2);
    await expect.poll(() => line.getAttribute("aria-selected"), soon).toBe("true");
  });

  it("a token that is pressed in the text is looked at", async () => {
    const page = await growing();
    await page.keyboard.press("ArrowRight");
    const token = page.locator(".loom-part.selected .token").first();
    await token.waitFor();
    await press(page, token, () => drawnOn(page));
    await expect.poll(() => said(page).textContent(), soon).toContain("At the beginning");
  });
});

describe("while the texts of alternatives are learned", () => {
  /** At the second token of a branch, whose alternatives stand there by their numbers until `tell`. */
  async function unnamed() {
    const page = await begun({ Branches: "1", "Tokens each": "8", Seed: "1" });
    await page.keyboard.press("g");
    await said(page).filter({ hasText: "Grown." }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route("**/v1/detokenize", async (route) => {
      await held.promise;
      await route.continue();
    });
    for (const key of ["ArrowRight", "t", "ArrowRight"]) await page.keyboard.press(key);
    const unnamed = page.locator(".alternative .name", { hasText: /^token \d+$/ });
    await unnamed.first().waitFor();
    const tell = async () => {
      held.resolve();
      await expect.poll(() => unnamed.count(), soon).toBe(0);
    };
    return { page, first: unnamed.first(), tell };
  }

  it("one that is pressed is gone on from", async () => {
    const { page, first, tell } = await unnamed();
    const id = /\d+/.exec((await first.textContent()) ?? "")?.[0];
    let words = "";
    await press(page, first, async () => {
      await tell();
      const name = page.locator(`.alternative[title^="token ${id},"] .name`);
      words = ((await name.textContent()) ?? "").replaceAll("␣", " ").replaceAll("⏎", "\n");
    });
    await said(page).filter({ hasText: "Grown." }).waitFor();
    expect(await snippets(page).count()).toBe(4);
    expect(await page.locator(".loom-part.selected .token").first().textContent()).toBe(words);
  });

  it("the one that was gone to by key keeps the focus", async () => {
    const { page, tell } = await unnamed();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const at = () =>
      page.evaluate(() =>
        [...document.querySelectorAll(".alternative")].indexOf(document.activeElement as Element),
      );
    expect(await at()).toBe(1);
    await tell();
    expect(await at()).toBe(1);
  });
});
