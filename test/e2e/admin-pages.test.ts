// The Admin's pages in a real browser: at three widths, in both themes, by two Admins, without a script.
import OpenAI from "openai";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { compressedBytes, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { admin } from "./person.ts";

const stack = inject("stack");

const longText = "a text of many words and signs 🧪 評価 ".repeat(5).padEnd(200, "x");

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Signed {
  id: string;
  email: string;
  page: Page;
}

async function newPerson(
  role: "member" | "admin",
  options: BrowserContextOptions = {},
): Promise<Signed> {
  const email = `${role}-${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role });
  const page = await (await newBrowserContext(browser, options)).newPage();
  await signIn(page, stack, email);
  await page.waitForURL(`${stack.app}/`);
  return { id, email, page };
}

/** Somebody with keys and usage who asks for more tokens. */
async function asking(reason = "to sample"): Promise<Signed & { keyId: string }> {
  const member = await newPerson("member");
  const path = `/people/${member.id}`;
  await admin(stack, "POST", `${path}/grants`, { tokens: 1_000, note: longText });
  const { id, key } = await admin<{ id: string; key: string }>(
    ...([stack, "POST", `${path}/keys`, { name: longText }] as const),
  );
  const client = new OpenAI({ baseURL: stack.api, apiKey: key });
  await client.completions.create({ model: "local", prompt: "Call me", max_tokens: 8 });
  await member.page.goto(`${stack.app}/usage/requests`);
  await member.page.getByLabel("How many more tokens").fill("50,000");
  await member.page.getByLabel("What for").fill(reason);
  await member.page.getByRole("button", { name: "Send the request" }).click();
  return { ...member, keyId: id };
}

/** The inbox's part about this person. */
function requestOf(page: Page, member: Signed) {
  return page.getByRole("article", { name: member.email });
}

function tokensOf(member: Signed): Promise<{ tokens: { granted: number } }> {
  return admin(stack, "GET", `/people/${member.id}`);
}

/** Six loads of a page, each searched by axe. */
const DEFECTS_TIMEOUT_MS = 300_000;

describe("every page is accessible and fits, in both themes and at every width", () => {
  it(
    "where it lists everything, however long",
    async () => {
      const { page } = await newPerson("admin");
      await asking(longText);
      const found: string[] = [];
      for (const name of ["requests", "people", "spend", "audit"]) {
        found.push(...(await pageDefects(page, `${stack.app}/admin/${name}`)));
      }
      expect(found).toEqual([]);
    },
    DEFECTS_TIMEOUT_MS,
  );

  it(
    "where it is about one person, asks once, or finds nothing",
    async () => {
      const { page } = await newPerson("admin");
      const member = await asking(longText);
      const about = [`people/${member.id}`, `keys/${member.keyId}/revoke`];
      const found: string[] = [];
      for (const path of [...about, "people/invite", "audit?who=nobody"]) {
        found.push(...(await pageDefects(page, `${stack.app}/admin/${path}`)));
      }
      expect(found).toEqual([]);
    },
    DEFECTS_TIMEOUT_MS,
  );
});

describe("every page", () => {
  it("weighs less than 60 KB with all it loads", async () => {
    const { id, page } = await newPerson("admin");
    const cookies = await page.context().cookies(stack.app);
    const paths = ["/admin/requests", "/admin/people", "/admin/spend", "/admin/audit"];
    for (const path of [...paths, `/admin/people/${id}`]) {
      const context = await newBrowserContext(browser);
      await context.addCookies(cookies);
      const bytes = await compressedBytes(await context.newPage(), stack.app + path);
      expect(bytes, path).toBeLessThan(PAGE_BYTES_MOST);
      await context.close();
    }
  });
});

describe("a Token request", () => {
  it("is approved once by two Admins who both have it open, and the later one is told by whom", async () => {
    const member = await asking();
    const first = await newPerson("admin");
    const second = await newPerson("admin");
    for (const { page } of [first, second]) await page.goto(`${stack.app}/admin/requests`);
    await requestOf(first.page, member).getByLabel("Grant, in tokens").fill("20,000");
    await requestOf(first.page, member).getByRole("button", { name: "Approve" }).dblclick();
    await first.page.waitForURL(/decided=/);
    expect(await first.page.getByRole("status").textContent()).toContain(
      `${member.email} is approved with 20,000 tokens`,
    );
    await requestOf(second.page, member).getByLabel("Note").fill("too many");
    await requestOf(second.page, member).getByRole("button", { name: "Reject" }).click();
    expect(await second.page.getByRole("alert").textContent()).toContain(
      `${first.email} decided first`,
    );
    expect((await tokensOf(member)).tokens.granted).toBe(21_000);
    await member.page.reload();
    expect(await member.page.getByRole("main").textContent()).toContain("approved");
  });

  it("is rejected without a script, with the note that the person then reads", async () => {
    const member = await asking();
    const { page } = await newPerson("admin", { javaScriptEnabled: false });
    await page.goto(`${stack.app}/admin/requests`);
    await requestOf(page, member).getByRole("button", { name: "Reject" }).click();
    expect(await requestOf(page, member).textContent()).toContain("Write why");
    await requestOf(page, member).getByLabel("Note").fill("ask for less");
    await requestOf(page, member).getByRole("button", { name: "Reject" }).click();
    expect(await page.getByRole("status").textContent()).toContain("is rejected");
    await member.page.reload();
    expect(await member.page.getByRole("main").textContent()).toContain("ask for less");
  });
});

describe("a person", () => {
  it("is invited, given tokens and disabled without a script", async () => {
    const { page } = await newPerson("admin", { javaScriptEnabled: false });
    const email = `${crypto.randomUUID()}@example.org`;
    await page.goto(`${stack.app}/admin/people`);
    await page.getByRole("link", { name: "Invite somebody" }).click();
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Invite" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(email);
    await page.getByRole("textbox", { name: "Tokens" }).fill("1,000,000");
    await page.getByRole("button", { name: "Give tokens" }).click();
    expect(await page.getByRole("main").textContent()).toContain("1,000,000 tokens available");
    await page.getByRole("link", { name: "Disable…" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    expect(await page.getByRole("status").textContent()).toContain("This person is disabled");
    await page.getByRole("button", { name: "Enable again" }).click();
    expect(await page.getByRole("status").textContent()).toContain("enabled again");
  });

  it("has a key revoked from the menu at its row's end", async () => {
    const member = await asking();
    const { page } = await newPerson("admin");
    await page.goto(`${stack.app}/admin/people/${member.id}`);
    await page.getByRole("button", { name: /^Actions for a text/ }).click();
    await page.getByRole("link", { name: "Revoke…" }).click();
    await page.getByLabel("Why").fill("it leaked");
    await page.getByRole("button", { name: "Revoke" }).click();
    expect(await page.getByRole("status").textContent()).toContain("The key is revoked");
    expect(await page.getByRole("region", { name: "API Keys" }).first().textContent()).toContain(
      "it leaked",
    );
  });
});
