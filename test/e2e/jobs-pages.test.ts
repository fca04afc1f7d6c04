// The pages of Jobs in a real browser: they move while a Job runs, and work without scripts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { compressedBytes, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { admin } from "./person.ts";

const stack = inject("stack");

/** A machine that is busy takes its time. */
const soon = { timeout: 30_000 };

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

/** Somebody new, signed in, on the page of Jobs. */
async function newMember(tokens: number, options: BrowserContextOptions = {}): Promise<Signed> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role: "member" });
  if (tokens > 0) await admin(stack, "POST", `/people/${id}/grants`, { tokens });
  const context = await newBrowserContext(browser, options);
  const page = await context.newPage();
  await signIn(page, stack, email, "/jobs");
  await page.waitForURL(`${stack.app}/jobs`);
  return { id, page };
}

interface Line {
  custom_id: string;
  body: object;
}

function line(number: number, body: object = {}): Line {
  const completion = { model: "local", prompt: `Call me ${number}`, max_tokens: 4, ...body };
  return { custom_id: `item ${number}`, body: completion };
}

function linesOf(items: number): string[] {
  return Array.from({ length: items }, (_, number) => JSON.stringify(line(number)));
}

function file(lines: readonly string[]) {
  const buffer = Buffer.from(lines.join("\n"));
  return { name: "prompts.jsonl", mimeType: "application/x-ndjson", buffer };
}

const main = async (page: Page) => (await page.getByRole("main").textContent()) ?? "";

async function upload(page: Page, lines: readonly string[], name = ""): Promise<void> {
  await page.goto(`${stack.app}/jobs/upload`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("File").setInputFiles(file(lines));
  await page.getByRole("button", { name: "Start the Job" }).click();
}

async function paste(page: Page, prompts: string, name = ""): Promise<string> {
  await page.goto(`${stack.app}/jobs/new`);
  await page.getByLabel("Prompts").fill(prompts);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Start the Job" }).click();
  await page.waitForURL(/\/jobs\/job_/);
  return new URL(page.url()).pathname;
}

/** Runs in the page: what moves from now on is added up. */
function watchShifts(): void {
  const moved = { by: 0 };
  Object.assign(globalThis, { moved });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      moved.by += (entry as unknown as { value: number }).value;
  }).observe({ type: "layout-shift" });
}

const movedBy = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { moved: { by: number } }).moved.by);

describe("every page of Jobs", () => {
  it("is accessible and fits, in both themes and at every width, however a Job stands", async () => {
    const { page } = await newMember(100_000);
    const done = await paste(page, "Call me\nIt was", longName);
    await page.getByText("completed").waitFor();
    const errors = [line(0), line(1, { prompt: "x ".repeat(9_000), max_tokens: 9 })];
    await upload(
      page,
      errors.map((one) => JSON.stringify(one)),
      "some fail",
    );
    await page.waitForURL(/\/jobs\/job_/);
    const failing = new URL(page.url()).pathname;
    const poor = await newMember(0);
    const paused = await paste(poor.page, "Call me", "<b>no tokens</b>");
    await poor.page.getByText("Request more tokens").waitFor();
    const found: string[] = [];
    const pages = [done, failing, `${done}/remove`, "/jobs/new", "/jobs/upload"];
    for (const path of ["/jobs", ...pages]) {
      found.push(...(await pageDefects(page, stack.app + path)));
    }
    for (const path of ["/", "/jobs", paused, `${paused}/cancel`]) {
      found.push(...(await pageDefects(poor.page, stack.app + path)));
    }
    const empty = await newMember(0);
    found.push(...(await pageDefects(empty.page, `${stack.app}/jobs`)));
    expect(found).toEqual([]);
  }, 300_000);

  it("weighs less than 60 KB with all it loads, also with fifty rows", async () => {
    const { page } = await newMember(100_000);
    let newest = "";
    for (let number = 0; number < 52; number += 1) {
      const answer = await page.request.get(`${stack.app}/jobs/new`);
      const id = /name="id" value="([^"]+)"/.exec(await answer.text())?.[1] ?? "";
      const form = {
        id,
        model: "local",
        prompts: "Call me",
        name: `${number} ${longName}`.slice(0, 200),
      };
      const started = await page.request.post(`${stack.app}/jobs`, {
        form,
        headers: { origin: stack.app },
      });
      newest = new URL(started.url()).pathname;
    }
    await page.goto(`${stack.app}/jobs`);
    expect(await page.getByRole("row").count()).toBe(51);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "First page" }).waitFor();
    for (const path of ["/jobs", newest, "/jobs/new", "/jobs/upload", "/"]) {
      const context = await newBrowserContext(browser);
      await context.addCookies(await page.context().cookies(stack.app));
      const bytes = await compressedBytes(await context.newPage(), stack.app + path);
      expect(bytes, path).toBeLessThan(PAGE_BYTES_MOST);
      await context.close();
    }
  }, 120_000);
});

describe("while a Job runs", () => {
  it("its page follows it to the end: nothing is loaded again, nothing moves, focus stays", async () => {
    const { page } = await newMember(10_000_000);
    await upload(page, linesOf(30_000), "sweep");
    await page.waitForURL(/\/jobs\/job_/);
    await page.evaluate(watchShifts);
    const bar = page.getByRole("progressbar");
    const cancel = page.getByRole("link", { name: "Cancel this Job" });
    await cancel.focus();
    const first = Number(await bar.getAttribute("aria-valuenow"));
    await expect
      .poll(async () => Number(await bar.getAttribute("aria-valuenow")), soon)
      .toBeGreaterThan(first);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel this Job");
    expect(await movedBy(page)).toBe(0);
    await page.getByText("They are removed").waitFor({ timeout: 120_000 });
    expect(await main(page)).toContain("Items done, of 30,00030,000");
    expect(await page.evaluate(() => "moved" in globalThis)).toBe(true);
  }, 200_000);

  it("the list and Home follow it, and lead to the door once the session is over", async () => {
    const { page } = await newMember(0);
    const path = await paste(page, "Call me", "waiting");
    await page.goto(`${stack.app}/jobs`);
    await page.evaluate(watchShifts);
    const other = await page.context().newPage();
    await other.goto(stack.app);
    await other.getByRole("heading", { name: "Jobs under way" }).waitFor();
    await page.getByText("Request more tokens").waitFor();
    const third = await page.context().newPage();
    await third.goto(`${stack.app + path}/cancel`);
    await third.getByRole("button", { name: "Cancel the Job" }).click();
    await page.getByText("cancelled").waitFor();
    await other.getByText("None is under way any more.").waitFor();
    expect(await movedBy(page)).toBe(0);
    await paste(third, "Call me", "waiting again");
    await page.context().clearCookies();
    await third.waitForURL(/\/sign-in\?to=%2Fjobs%2Fjob_/);
  });
});

describe("a Job that waits for tokens", () => {
  it("says so, and goes on before one's eyes after a Grant", async () => {
    const { id, page } = await newMember(0);
    await paste(page, "Call me\nIt was");
    await page.getByRole("alert").waitFor();
    expect(await main(page)).toContain("You have 0 tokens; its next item may need");
    await admin(stack, "POST", `/people/${id}/grants`, { tokens: 10_000 });
    await page.getByText("completed").waitFor();
    expect(await main(page)).toContain("Items done, of 22");
    const link = page.getByRole("link", { name: "Download results" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const lines = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.map((one) => JSON.parse(one).custom_id)).toEqual(["item-0", "item-1"]);
    await page.goto(`${stack.app}/usage?by=key`);
    await page.getByRole("cell", { name: "App" }).waitFor();
  });
});

describe("a file", () => {
  it("is looked at before it is sent, in the words of the server", async () => {
    const { page } = await newMember(1_000);
    const plain = await newMember(1_000, { javaScriptEnabled: false });
    const wrong = [
      "{",
      "[1]",
      JSON.stringify({ ...line(1), custom_id: "" }),
      JSON.stringify({ ...line(1), method: "GET" }),
      JSON.stringify({ ...line(1), url: "/v1/chat/completions" }),
      JSON.stringify({ custom_id: "item 1" }),
      JSON.stringify(line(1, { model: "gpt-9" })),
      JSON.stringify(line(0)),
    ];
    await page.goto(`${stack.app}/jobs/upload`);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(request.url());
    });
    for (const one of wrong) {
      const lines = [JSON.stringify(line(0)), "", one, JSON.stringify(line(2))];
      await page.getByLabel("File").setInputFiles(file(lines));
      const problem = page.getByRole("alert");
      await expect.poll(() => problem.textContent(), soon).toMatch(/^Line 3: ./);
      await upload(plain.page, lines);
      expect(await plain.page.locator("#file-error").textContent()).toBe(
        await problem.textContent(),
      );
      await page.getByLabel("File").setInputFiles(file([JSON.stringify(line(0))]));
      await expect.poll(() => problem.textContent(), soon).toBe("");
    }
    expect(sent).toEqual([]);
  });

  it("that is wrong far in stays chosen, and the page says where", async () => {
    const { page } = await newMember(1_000);
    const lines = linesOf(4_000);
    await upload(page, [...lines, JSON.stringify(line(4_001, { temprature: 1 }))], "kept");
    await expect
      .poll(() => page.getByRole("alert").textContent(), soon)
      .toContain("Line 4001: `temprature`");
    expect(await page.getByLabel("Name").inputValue()).toBe("kept");
    expect(
      await page.getByLabel("File").evaluate((input: HTMLInputElement) => input.files?.length),
    ).toBe(1);
    await page.getByLabel("File").setInputFiles(file(linesOf(3)));
    await page.getByRole("button", { name: "Start the Job" }).dblclick();
    await page.waitForURL(/\/jobs\/job_/);
    await page.goto(`${stack.app}/jobs`);
    expect(await page.getByRole("row").count()).toBe(2);
  });

  it("shows how far it is while it is sent, also when it is large", async () => {
    const { page } = await newMember(1_000);
    const prompt = "word ".repeat(1_000);
    const lines = Array.from({ length: 4_000 }, (_, at) => JSON.stringify(line(at, { prompt })));
    await page.goto(`${stack.app}/jobs/upload`);
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const said = document.querySelector("form [role=status]");
      if (said === null) return;
      new MutationObserver(() => {
        seen.push(said.textContent ?? "");
        sessionStorage.setItem("seen", seen.join("|"));
      }).observe(said, { childList: true });
    });
    const folder = mkdtempSync(join(tmpdir(), "continuo-"));
    writeFileSync(join(folder, "large.jsonl"), lines.join("\n"));
    await page.getByLabel("File").setInputFiles(join(folder, "large.jsonl"));
    await page.getByRole("button", { name: "Start the Job" }).click();
    await page.waitForURL(/\/jobs\/job_/);
    rmSync(folder, { recursive: true });
    const seen = await page.evaluate(() => sessionStorage.getItem("seen"));
    expect(seen).toMatch(/\d of 19\.\d MB/);
    expect(seen).toContain("The lines are checked");
    expect(await main(page)).toContain("of 4,000");
  });
});

describe("without scripts", () => {
  it("Jobs are started, read, cancelled and removed all the same", async () => {
    const { page } = await newMember(0, { javaScriptEnabled: false });
    await page.getByRole("link", { name: "New Job" }).click();
    await page.getByLabel("Prompts").fill("Call me\nIt was");
    await page.getByLabel("Temperature").fill("9");
    await page.getByRole("button", { name: "Start the Job" }).click();
    expect(await main(page)).toContain("`temperature` must be");
    expect(await page.getByLabel("Prompts").inputValue()).toBe("Call me\nIt was");
    await page.getByLabel("Temperature").fill("0.5");
    await page.getByRole("button", { name: "Start the Job" }).click();
    expect(await page.getByRole("status").textContent()).toContain("goes on without this page");
    expect(await main(page)).toContain("Items done, of 20");
    await page.getByRole("link", { name: "Cancel this Job" }).click();
    await page.getByRole("button", { name: "Cancel the Job" }).click();
    expect(await page.getByRole("status").textContent()).toContain("The Job is cancelled.");
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole("link", { name: /remove/i }).count();
      }, soon)
      .toBe(1);
    await page.getByRole("link", { name: /remove/i }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    expect(await page.getByRole("status").textContent()).toContain("are removed");
    await upload(page, linesOf(2), "from a file");
    expect(await main(page)).toContain("from a file");
  });
});

describe("by keyboard alone", () => {
  it("a Job is started from the list", async () => {
    const { page } = await newMember(0);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole("link", { name: "New Job" }).focus();
    await press("Enter");
    await page.waitForURL(/\/jobs\/new/);
    await page.getByRole("link", { name: "Paste prompts" }).focus();
    await press("Tab", "Tab");
    await page.keyboard.type("Call me");
    await press("Tab", "Tab");
    await page.keyboard.type("24");
    await press("Enter");
    await page.waitForURL(/\/jobs\/job_/);
    expect(await main(page)).toContain("of 10");
  });
});
