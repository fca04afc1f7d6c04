// From an invite to a revoked key, as two people do it: an Admin and a researcher, each in a browser of
// their own, with the stock OpenAI SDK beside. What the pages say is compared with the engine's counts.
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { Engine } from "./engine.ts";
import { until } from "./until.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const params = { model: "local", prompt: "Call me Ishmael", max_tokens: 8 };
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function visitor(email: string): Promise<Page> {
  const page = await (await newBrowserContext(browser)).newPage();
  await signIn(page, stack, email);
  return page;
}

const go = (page: Page, path: string) => page.goto(`${stack.app}${path}`);
const main = async (page: Page) => (await page.getByRole("main").textContent()) ?? "";

async function mint(page: Page): Promise<string> {
  await go(page, "/keys");
  await page.getByRole("link", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("laptop");
  await page.getByRole("button", { name: "Create" }).click();
  const key = /ctn_[0-9a-z_]+/.exec(await main(page))?.[0];
  if (key === undefined) throw new Error("no key was shown");
  await go(page, "/keys");
  expect(await page.content()).not.toContain(key);
  return key;
}

it("invite, sign in, key, completions, usage, request, approve, more tokens, revoke, 401", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  const admin = await visitor("admin@example.org");
  await go(admin, "/admin/people");
  await admin.getByRole("link", { name: "Invite" }).click();
  await admin.getByLabel("E-mail address").fill(email);
  await admin.getByRole("button", { name: "Invite" }).click();

  const researcher = await visitor(email);
  expect(await main(researcher)).toContain("Tokens available");
  const key = await mint(researcher);
  const client = new OpenAI({ baseURL: stack.api, apiKey: key, maxRetries: 0 });
  await expect(client.completions.create(params)).rejects.toMatchObject({
    code: "budget_exceeded",
  });

  await go(researcher, "/usage/requests");
  await researcher.getByLabel("How many more tokens").fill("5,000");
  await researcher.getByLabel("What for").fill("A sweep over seeds.");
  await researcher.getByRole("button", { name: "Send the request" }).click();
  expect(await main(researcher)).toContain("You asked for 5,000 tokens");

  // The script is refused until the tokens come, and goes through without being started again.
  const loop = until(
    "an answer",
    () => client.completions.create(params).catch(() => null),
    (answer) => answer !== null,
  );
  await go(admin, "/admin/requests");
  const asked = admin.getByRole("article").filter({ hasText: email });
  expect(await asked.textContent()).toContain("A sweep over seeds.");
  await asked.getByLabel("Grant, in tokens").fill("4000");
  await asked.getByLabel("Note").fill("Enough for this week.");
  await asked.getByRole("button", { name: "Approve" }).click();
  expect(await main(admin)).toContain("approved with 4,000 tokens");
  const first = await loop;

  await go(researcher, "/usage/requests");
  expect(await main(researcher)).toContain("Enough for this week.");
  await engine.idle();
  const before = await engine.counters();
  const second = await client.completions.create(params);
  const after = await engine.counters();
  const counted =
    after.promptTokens + after.generationTokens - before.promptTokens - before.generationTokens;
  expect(second.usage?.total_tokens).toBe(counted);
  const spent = (first?.usage?.total_tokens ?? 0) + counted;
  await go(researcher, "/");
  expect(await main(researcher)).toContain((4_000 - spent).toLocaleString("en"));
  await go(researcher, "/usage");
  const usage = await fetch(`${stack.api}/usage`, { headers: { authorization: `Bearer ${key}` } });
  const { totals } = (await usage.json()) as { totals: { total_tokens: number } };
  expect(totals.total_tokens).toBe(spent);
  expect(await main(researcher)).toMatch(new RegExp(`${spent}\\s*tokens`));

  await go(researcher, "/keys");
  await researcher.getByRole("button", { name: /^Actions for/ }).click();
  await researcher.getByRole("link", { name: "Revoke" }).click();
  await researcher.getByRole("button", { name: "Revoke" }).click();
  await expect(client.completions.create(params)).rejects.toMatchObject({ status: 401 });

  await go(admin, "/admin/audit");
  const audit = await main(admin);
  expect(audit).toContain(email);
  for (const secret of [key, "A sweep over seeds"]) expect(audit).not.toContain(secret);
}, 120_000);
