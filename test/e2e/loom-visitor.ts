// What tests of the Loom do with its page, whatever they are about.
import type { Page } from "playwright-core";

/** A machine that is busy takes its time. */
export const soon = { timeout: 30_000 };

export const tree = (page: Page) => page.getByRole("tree", { name: "Branches" });
export const said = (page: Page) => page.locator(".loom-status");

/** Writes the first words of an empty tree. */
export async function writeBeginning(page: Page): Promise<void> {
  await tree(page).focus();
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Text" }).fill("Call me");
  await page.keyboard.press("Control+Enter");
  await page.locator(".loom-text", { hasText: "Call me" }).waitFor();
}
