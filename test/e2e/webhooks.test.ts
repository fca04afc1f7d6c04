// A person is told by webhook, from the page where an endpoint is added to what its receiver reads.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { launchBrowser, newBrowserContext, signIn } from "./browser.ts";
import { compressedBytes, PAGE_BYTES_MOST, pageDefects } from "./page-defects.ts";
import { admin, callApi, type MintedKey } from "./person.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

const stack = inject("stack");

/** The first try again comes after five seconds, on a machine that may be busy. */
const soon = { timeout: 30_000 };

let browser: Browser;
let receiver: WebhookReceiver;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

interface Signed {
  id: string;
  page: Page;
}

/** Somebody new, signed in, on the page of webhooks. */
async function newMember(options: BrowserContextOptions = {}): Promise<Signed> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role: "member" });
  const context = await newBrowserContext(browser, options);
  const page = await context.newPage();
  await signIn(page, stack, email, "/webhooks");
  await page.waitForURL(`${stack.app}/webhooks`);
  return { id, page };
}

/** By the page's own form; answers the secret. */
async function addEndpoint(page: Page, url = receiver.url): Promise<string> {
  await page.goto(`${stack.app}/webhooks/endpoints/new`);
  await page.getByLabel("Address").fill(url);
  await page.getByRole("button", { name: "Add" }).click();
  const secret = (await page.locator("#secret").textContent()) ?? "";
  await page.getByRole("link", { name: "I have copied it" }).click();
  return secret;
}

async function newKey({ id }: Signed): Promise<MintedKey> {
  return await admin<MintedKey>(stack, "POST", `/people/${id}/keys`, { name: "laptop" });
}

const main = async (page: Page) => (await page.getByRole("main").textContent()) ?? "";

describe("whoever has added an endpoint", () => {
  it("is told of a key that was revoked, signed, and sees the delivery on the page", async () => {
    const member = await newMember();
    const secret = await addEndpoint(member.page);
    const { id, key, start } = await newKey(member);
    await admin(stack, "POST", `/keys/${id}/revoke`, { reason: "it leaked" });
    const event = await receiver.event("key.revoked", secret);
    expect(event.data).toEqual({ key: { id, name: "laptop", start }, reason: "it leaked" });
    expect(JSON.stringify(receiver.seen)).not.toContain(key);
    await member.page.reload();
    await member.page.getByText("status 204").first().waitFor(soon);
    expect(await main(member.page)).toContain("key.revoked");
  });

  it("is told of a Grant, of a Job's pause and of its end", async () => {
    const member = await newMember();
    const secret = await addEndpoint(member.page);
    const { key } = await newKey(member);
    const body = { model: "local", params: { max_tokens: 4 }, prompts: ["a secret prompt"] };
    const job = { method: "POST", path: "/v1/jobs", body };
    const { id } = (await (await callApi(stack, key, job)).json()) as { id: string };
    const paused = await receiver.event("job.paused", secret);
    expect(paused.data).toMatchObject({ job: { id, pause: { reason: "budget_exceeded" } } });
    await admin(stack, "POST", `/people/${member.id}/grants`, { tokens: 1_000, note: "more" });
    const granted = await receiver.event("tokens.granted", secret);
    expect(granted.data).toMatchObject({ grant: { tokens: 1_000, note: "more" } });
    const done = await receiver.event("job.completed", secret);
    expect(done.data).toMatchObject({
      job: { id, state: "completed", progress: { total: 1, succeeded: 1, failed: 0 } },
    });
    expect(JSON.stringify(receiver.seen)).not.toContain("a secret prompt");
    const ids = receiver.seen.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("is told again by itself where the receiver was down, which the open page shows", async () => {
    receiver.status = 503;
    const { page } = await newMember();
    const secret = await addEndpoint(page);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText("status 503").waitFor(soon);
    receiver.status = 204;
    await page.getByText("status 204").waitFor(soon);
    const tries = receiver.seen.map(({ headers }) => headers["webhook-id"]);
    expect(tries).toHaveLength(2);
    expect(new Set(tries).size).toBe(1);
    await receiver.event("webhook.test", secret);
  });

  it("does it all without scripts: adds, tests, sends again, replaces the secret, removes", async () => {
    const { page } = await newMember({ javaScriptEnabled: false });
    const old = await addEndpoint(page);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await receiver.event("webhook.test", old);
    await page.getByRole("button", { name: /^Send again/ }).click();
    expect(await main(page)).toContain("on its way again");
    await page.getByRole("link", { name: "Replace the secret" }).click();
    await page.getByRole("button", { name: "Replace it" }).click();
    const fresh = (await page.locator("#secret").textContent()) ?? "";
    await page.getByRole("link", { name: "I have copied it" }).click();
    receiver.seen.length = 0;
    await page.getByRole("button", { name: "Send a test event" }).click();
    const event = await receiver.event("webhook.test", fresh);
    expect(await receiver.event("webhook.test", old)).toEqual(event);
    await page.getByRole("link", { name: "webhook.test" }).first().click();
    expect(await main(page)).toContain("This endpoint is reached.");
    await page.getByRole("link", { name: "All deliveries" }).click();
    await page.getByRole("link", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    expect(await main(page)).toContain("You have no endpoint yet.");
  });
});

describe("every page of webhooks", () => {
  it("is accessible and fits, in both themes and at every width, however much it shows", async () => {
    const empty = await newMember();
    const found = await pageDefects(empty.page, `${stack.app}/webhooks`);
    found.push(...(await pageDefects(empty.page, `${stack.app}/webhooks/endpoints/new`)));
    const { page } = await newMember();
    await addEndpoint(page, `${receiver.url}/${"long".repeat(60)}?of=${"words-".repeat(20)}`);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByText("status 204").waitFor(soon);
    receiver.status = 410;
    await addEndpoint(page);
    await page.getByRole("button", { name: "Send a test event" }).last().click();
    await page.getByText("Switched off").or(page.getByText("status 410")).first().waitFor(soon);
    receiver.status = 503;
    await addEndpoint(page);
    await page.getByRole("button", { name: "Send a test event" }).last().click();
    await page.getByText("status 503").waitFor(soon);
    const rotate = await page.getByRole("link", { name: "Replace the secret" }).first();
    const endpoint = ((await rotate.getAttribute("href")) ?? "").replace(/\/rotate$/, "");
    const row = page.getByRole("link", { name: "webhook.test" }).first();
    const delivery = (await row.getAttribute("href")) ?? "";
    for (const path of ["/webhooks", `${endpoint}/rotate`, `${endpoint}/remove`, delivery]) {
      found.push(...(await pageDefects(page, stack.app + path)));
    }
    expect(found).toEqual([]);
  }, 300_000);

  it("weighs less than 60 KB with all it loads, also with fifty rows", async () => {
    const { page } = await newMember();
    await addEndpoint(page);
    const form = page.locator("form", { hasText: "Send a test event" });
    const test = `${stack.app}${await form.getAttribute("action")}`;
    for (let number = 0; number < 51; number += 1) {
      const headers = { origin: stack.app };
      await page.request.post(test, { form: { id: `weight${number}` }, headers });
    }
    await page.goto(`${stack.app}/webhooks`);
    expect(await page.getByRole("row").count()).toBe(51);
    const bytes = await compressedBytes(page, `${stack.app}/webhooks`);
    expect(bytes).toBeLessThan(PAGE_BYTES_MOST);
  }, 120_000);
});
