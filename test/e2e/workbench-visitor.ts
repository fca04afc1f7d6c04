// Somebody at the Workbench, for the tests of it.
import type { Browser, Page } from "playwright-core";
import { newBrowserContext, signIn } from "./browser.ts";
import { admin } from "./person.ts";
import type { Stack } from "./stack-process.ts";

/** Has a character of several tokens on the local Model. */
export const TEXT = "Call me Ishmael, précisément 評";

export interface At {
  id: string;
  page: Page;
}

/** Somebody new with tokens, at the Workbench. */
export async function atTheBench(browser: Browser, stack: Stack): Promise<At> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role: "member" });
  await admin(stack, "POST", `/people/${id}/grants`, { tokens: 100_000 });
  const context = await newBrowserContext(browser, { viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await signIn(page, stack, email, "/workbench");
  await page.waitForURL(`${stack.app}/workbench`);
  return { id, page };
}

export async function continued(page: Page, seed = 7): Promise<void> {
  await page.getByLabel("Text to continue").fill(TEXT);
  await page.getByLabel("Most tokens").fill("24");
  await page.getByLabel("Seed").fill(String(seed));
  await page.getByRole("button", { name: "Continue" }).click();
  await ended(page);
}

export async function ended(page: Page): Promise<void> {
  await page.getByText("Ended at the most tokens.").waitFor();
  await page.locator("#text-frame[aria-busy=false]").waitFor();
}
