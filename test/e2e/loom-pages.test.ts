// The Loom in a real browser on the whole stack: what a person does with a tree, by keyboard and pointer.
import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { soon, tree } from "./loom-visitor.ts";
import { compressedBytes, laidOutWrongly, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { admin, callApi, type MintedKey } from "./person.ts";

const stack = inject("stack");

const BEGINNING = "Call me Ishmael. Some years ago";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Somebody new with tokens, in a browser of their own, who has opened the Loom. */
async function newMember(context?: BrowserContext): Promise<{ id: string; page: Page }> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role: "member" });
  await admin(stack, "POST", `/people/${id}/grants`, { tokens: 100_000 });
  const page = await (context ?? (await newBrowserContext(browser))).newPage();
  await signIn(page, stack, email, "/loom");
  await page.waitForURL(`${stack.app}/loom`);
  await lines(page).first().waitFor();
  return { id, page };
}

const lines = (page: Page) => page.getByRole("treeitem");
const selected = (page: Page) => page.locator("[role=treeitem][aria-selected=true]");
const text = (page: Page) => page.locator(".loom-text");
const said = (page: Page) => page.getByRole("status");

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function begin(page: Page, words = BEGINNING): Promise<void> {
  await tree(page).focus();
  await press(page, "e");
  await page.getByRole("textbox", { name: "Text" }).fill(words);
  await press(page, "Control+Enter");
  await expect.poll(() => text(page).textContent(), soon).toBe(words);
  await tree(page).focus();
}

async function grow(page: Page): Promise<void> {
  await press(page, "g");
  await expect.poll(() => said(page).textContent(), soon).toBe("Grown.");
}

interface FileNode {
  id: string;
  parent: string | null;
  pieces: (string | FilePiece)[];
  origin?: { seed: number };
}

interface FilePiece {
  text: string;
  id: number;
  logprob: number;
  top: { id: number; logprob: number }[];
}

async function exported(page: Page): Promise<{ name: string; nodes: FileNode[] }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export", exact: true }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

function piecesText(pieces: FileNode["pieces"]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}

/** Text and what is below it. */
type Nested = { text: string; children: Nested[] };

async function importFile(page: Page, name: string, content: unknown): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(content));
  const file = { name, mimeType: "application/json", buffer };
  await page.locator("input[type=file]").setInputFiles(file);
}

describe("growing", () => {
  it("gives as many branches as asked for, with the API's own numbers for that seed", async () => {
    const { id, page } = await newMember();
    await begin(page);
    await grow(page);
    await expect.poll(() => lines(page).count(), soon).toBe(5);
    const { nodes } = await exported(page);
    const { key } = await admin<MintedKey>(stack, "POST", `/people/${id}/keys`, { name: "k" });
    const body = {
      ...{ model: "local", prompt: BEGINNING, n: 4, max_tokens: 24, logprobs: 8 },
      ...{ temperature: 1, top_p: 1, min_p: 0, seed: nodes[1]?.origin?.seed },
      ...{ return_token_ids: true, return_tokens_as_token_ids: true },
    };
    const call = { method: "POST", path: "/v1/completions", body };
    const answer = (await (await callApi(stack, key, call)).json()) as {
      choices: {
        text: string;
        token_ids: number[];
        logprobs: { token_logprobs: number[]; top_logprobs: Record<string, number>[] };
      }[];
    };
    for (const [index, choice] of answer.choices.entries()) {
      const pieces = (nodes[index + 1]?.pieces ?? []) as FilePiece[];
      expect(pieces.map((piece) => piece.text).join("")).toBe(choice.text);
      expect(pieces.map((piece) => piece.id)).toEqual(choice.token_ids);
      expect(pieces.map(({ logprob }) => logprob)).toEqual(choice.logprobs.token_logprobs);
      for (const [at, { top }] of pieces.entries()) {
        const said = top.map((one) => [`token_id:${one.id}`, one.logprob]);
        expect(Object.fromEntries(said)).toEqual(choice.logprobs.top_logprobs[at]);
      }
    }
  });

  it("goes on from an alternative that is chosen, beside what was given", async () => {
    const { page } = await newMember();
    await begin(page);
    // Drawn anew, a branch may end after its first token, and is not split there.
    await page.getByRole("textbox", { name: "Seed", exact: true }).fill("7");
    await tree(page).focus();
    await grow(page);
    await expect.poll(() => lines(page).count(), soon).toBe(5);
    const snippets = page.locator(".loom-snippet");
    const grown = await snippets.allTextContents();
    await press(page, "ArrowRight", "t", "ArrowRight", "ArrowRight");
    const tokens = page.locator(".loom-part.selected .token");
    const [first = "", second = "", ...rest] = await tokens.allTextContents();
    await expect.poll(() => page.locator(".cursor").textContent(), soon).toBe(rest[0]);
    const names = page.locator(".alternative:not(.chosen) .name");
    await expect
      .poll(async () => (await names.allTextContents()).join(), soon)
      .not.toMatch(/token/);
    const name = (await names.first().textContent()) ?? "";
    await names.first().click();
    await expect.poll(() => said(page).textContent(), soon).toBe("Grown.");
    await expect.poll(() => lines(page).count(), soon).toBe(7);
    const { nodes } = await exported(page);
    const textsBelow = (id: string | undefined) =>
      nodes.filter(({ parent }) => parent === id).map(({ pieces }) => piecesText(pieces));
    const split = nodes.find(({ pieces }) => piecesText(pieces) === first + second);
    const [given, chosen] = textsBelow(split?.id);
    expect(given).toBe(rest.join(""));
    expect(chosen?.slice(0, name.length)).toBe(name.replaceAll("␣", " ").replaceAll("⏎", "\n"));
    await tree(page).focus();
    await press(page, "u");
    await expect.poll(() => snippets.allTextContents(), soon).toEqual(grown);
  });

  it("puts an alternative of a branch's first token beside the whole branch", async () => {
    const { page } = await newMember();
    await begin(page);
    await page.getByRole("textbox", { name: "Seed", exact: true }).fill("7");
    await tree(page).focus();
    await grow(page);
    await expect.poll(() => lines(page).count(), soon).toBe(5);
    const snippets = page.locator(".loom-snippet");
    const grown = await snippets.allTextContents();
    await press(page, "ArrowRight", "t");
    const names = page.locator(".alternative:not(.chosen) .name");
    await expect
      .poll(async () => (await names.allTextContents()).join(), soon)
      .not.toMatch(/token/);
    await names.first().click();
    await expect.poll(() => said(page).textContent(), soon).toBe("Grown.");
    await expect.poll(() => lines(page).count(), soon).toBe(6);
    expect((await snippets.allTextContents()).slice(0, 5)).toEqual(grown);
    expect(await selected(page).getAttribute("aria-posinset")).toBe("5");
  });

  it("says what to do where there is no text, and where the API refuses", async () => {
    const { page } = await newMember();
    await tree(page).focus();
    await press(page, "g");
    await expect.poll(() => said(page).textContent(), soon).toContain("write how it begins");
    await begin(page);
    await page.getByLabel("Temperature").fill("0");
    await tree(page).focus();
    await press(page, "g");
    await expect.poll(() => said(page).textContent(), soon).toMatch(/`n`.*temperature/);
    await expect.poll(() => lines(page).count(), soon).toBe(1);
  });
});

describe("by keyboard alone", () => {
  it("a tree is written, split, merged, marked, hidden, cut and undone", async () => {
    const { page } = await newMember();
    await begin(page, "one two");
    await press(page, "w");
    await page.keyboard.type(" three");
    await press(page, "Control+Enter");
    await expect.poll(() => text(page).textContent(), soon).toBe("one two three");
    await tree(page).focus();
    await press(page, "ArrowUp", "t", "ArrowRight", "s");
    await expect.poll(() => lines(page).count(), soon).toBe(3);
    expect(await text(page).textContent()).toBe("one two");
    await tree(page).focus();
    await press(page, "m");
    await expect.poll(() => lines(page).count(), soon).toBe(2);
    await press(page, "ArrowDown", "b");
    await expect.poll(() => selected(page).textContent(), soon).toContain("bookmark");
    await press(page, "h");
    await expect.poll(() => lines(page).count(), soon).toBe(1);
    await press(page, "u", "ArrowDown", "x");
    await expect.poll(() => lines(page).count(), soon).toBe(1);
    await press(page, "Control+z");
    await expect.poll(() => lines(page).count(), soon).toBe(2);
    await press(page, "?");
    await expect
      .poll(() => page.getByRole("dialog", { name: "Keys" }).isVisible(), soon)
      .toBe(true);
    await press(page, "Escape", "v");
    await expect
      .poll(() => page.getByRole("img", { name: "2 branches" }).isVisible(), soon)
      .toBe(true);
    await press(page, "ArrowLeft");
    await expect.poll(() => text(page).textContent(), soon).toBe("one two");
    await press(page, "ArrowRight");
    await expect.poll(() => text(page).textContent(), soon).toBe("one two three");
  });
});

describe("what is kept", () => {
  it("survives a reload, in several trees, until it is deleted", async () => {
    const { page } = await newMember();
    await begin(page, "the first tree");
    await page.getByRole("button", { name: "New" }).click();
    await expect.poll(() => text(page).textContent(), soon).toBe("");
    await begin(page, "the second tree");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("second");
    await press(page, "Enter");
    const names = () => page.getByLabel("Tree").locator("option").allTextContents();
    // The new name stands there once it is kept.
    await expect.poll(names, soon).toEqual(["second", "Tree"]);
    await page.reload();
    await expect.poll(() => text(page).textContent(), soon).toBe("the second tree");
    await page.getByLabel("Tree").selectOption({ label: "Tree" });
    await expect.poll(() => text(page).textContent(), soon).toBe("the first tree");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the tree" }).click();
    await expect.poll(() => text(page).textContent(), soon).toBe("the second tree");
    await page.reload();
    await expect.poll(() => text(page).textContent(), soon).toBe("the second tree");
    expect(await names()).toEqual(["second"]);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("renamed");
    await press(page, "Enter");
    await expect.poll(() => page.getByLabel("Tree").textContent(), soon).toBe("renamed");
    await page.reload();
    await expect.poll(() => page.getByLabel("Tree").textContent(), soon).toBe("renamed");
  });

  it("is said not to be while another tab has the tree, and is again once that one is closed", async () => {
    const { page: first } = await newMember();
    await begin(first, "one");
    await first.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    const second = await first.context().newPage();
    await second.goto(`${stack.app}/loom`);
    const warning = second.getByRole("alert");
    await expect.poll(() => warning.textContent(), soon).toContain("open in another tab");
    await tree(second).focus();
    await press(second, "b");
    await expect.poll(() => selected(second).textContent(), soon).toContain("bookmark");
    expect(await warning.isVisible()).toBe(true);
    await first.close();
    await expect.poll(() => warning.isVisible(), soon).toBe(false);
    const names = second.getByLabel("Tree").locator("option");
    await expect.poll(() => names.allTextContents(), soon).toEqual(["Tree (copy)", "Tree"]);
  });

  it("is said not to be where the browser has no room, and the tree is not left", async () => {
    const { page } = await newMember();
    await begin(page, "one");
    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("There is no room.", "QuotaExceededError");
      };
    });
    await press(page, "b");
    await expect.poll(() => page.getByRole("alert").textContent(), soon).toContain("did not keep");
    await importFile(page, "other.json", { root: { text: "other", children: [] } });
    await expect.poll(() => page.locator("input[type=file]").inputValue(), soon).toBe("");
    expect(await text(page).textContent()).toBe("one");
    expect(await said(page).textContent()).not.toContain("Taken in");
    expect(await page.getByRole("alert").isVisible()).toBe(true);
  });

  it("is shown to nobody else who signs in to this browser", async () => {
    const context = await newBrowserContext(browser);
    const first = await newMember(context);
    await begin(first.page, "a secret");
    await first.page.getByRole("button", { name: "Rename" }).click();
    await first.page.getByRole("textbox", { name: "Name" }).fill("mine");
    await press(first.page, "Enter");
    await expect.poll(() => first.page.getByLabel("Tree").textContent(), soon).toBe("mine");
    await first.page.getByRole("button", { name: "Sign out" }).click();
    const second = await newMember(context);
    expect(await text(second.page).textContent()).toBe("");
    expect(await second.page.getByLabel("Tree").textContent()).toBe("Tree");
  });
});

describe("files", () => {
  it("another loom's tree is taken in, and comes out as this page's own", async () => {
    const { page } = await newMember();
    const leaf = (words: string): Nested => ({ text: words, children: [] });
    const root = { text: "Once", children: [leaf(" upon"), leaf(" more")] };
    await importFile(page, "old tree.json", { root });
    await expect.poll(() => said(page).textContent(), soon).toBe("Taken in: 3 branches.");
    const file = await exported(page);
    expect(file.name).toBe("old tree");
    expect(file.nodes.map(({ pieces }) => pieces)).toEqual([["Once"], [" upon"], [" more"]]);
    await importFile(page, "none.json", [1, 2]);
    await expect.poll(() => said(page).textContent(), soon).toContain("holds no tree");
    await expect.poll(() => lines(page).count(), soon).toBe(3);
  });
});

describe("a tree of 5,000 branches", () => {
  it("has but a screenful of lines, and the keys reach each end", async () => {
    const { page } = await newMember();
    const node = (number: number) => {
      const parent = number === 0 ? null : `n${Math.floor((number - 1) / 3)}`;
      return { id: `n${number}`, parent, pieces: [` ${number}`] };
    };
    const nodes = Array.from({ length: 5_000 }, (_, number) => node(number));
    await importFile(page, "big.json", { format: "continuo-loom", version: 1, name: "big", nodes });
    await expect.poll(() => said(page).textContent(), soon).toContain("5000");
    expect(await lines(page).count()).toBeLessThan(80);
    await tree(page).focus();
    await press(page, "End");
    await expect.poll(() => selected(page).textContent(), soon).toContain("3279");
    expect(await selected(page).getAttribute("aria-level")).toBe("8");
    await press(page, "Home", "ArrowLeft");
    await expect.poll(() => lines(page).count(), soon).toBe(1);
  });
});

describe("the page", () => {
  it("comes with all that it shows, and nothing moves once the cost is counted", async () => {
    const { page } = await newMember();
    await begin(page);
    await grow(page);
    await press(page, "ArrowRight");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.setViewportSize({ width: 320, height: 900 });
    await page.addInitScript(() => {
      new MutationObserver((_, watch) => {
        if (document.querySelector(".loom") === null) return;
        watch.disconnect();
        const atFirst = document.querySelectorAll(".loom-line").length;
        Object.assign(globalThis, { atFirst });
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.locator(".loom-counter", { hasText: "costs at most" }).waitFor();
    expect(await page.evaluate("atFirst")).toBe(5);
    expect(await laidOutWrongly(page)).toEqual([]);
  });

  it("is whole at every width and in both themes, with and without a tree, and small", async () => {
    const { page } = await newMember();
    expect(await pageDefects(page, `${stack.app}/loom`)).toEqual([]);
    await begin(page);
    await grow(page);
    await press(page, "ArrowRight", "b");
    await expect.poll(() => selected(page).textContent(), soon).toContain("bookmark");
    // What was changed last is kept within a second; a reload before that would show less.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    expect(await pageDefects(page, `${stack.app}/loom`)).toEqual([]);
    expect(await compressedBytes(page, `${stack.app}/loom`)).toBeLessThan(PAGE_BYTES_MOST);
  });
});
