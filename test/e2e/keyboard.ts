// Somebody who has no pointer. Wherever their focus is they must see it, and it must be somewhere.
import type { Locator, Page } from "playwright-core";

/** More than any page has stops. */
const STOPS_MOST = 120;

/** Goes on by Tab until this has the focus; throws at a stop whose focus cannot be seen. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < STOPS_MOST; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
    const unseen = await page.evaluate(unseenFocus);
    if (unseen !== null) throw new Error(`on ${page.url()} nobody sees the focus on ${unseen}`);
  }
  throw new Error(`on ${page.url()} Tab never comes to ${target}`);
}

/** To a link or a button, which is then pressed. */
export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

/** To a field, whose text is then this. */
export async function write(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

/** Runs in the page: what has the focus and does not show it, or null. The way out of the page is no stop. */
function unseenFocus(): string | null {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height, top, left } = element.getBoundingClientRect();
  const isThere = width > 0 && height > 0 && top + height > 0 && left + width > 0;
  // The browser's own ring; that of a day's picker is drawn inside the field, and cannot be asked for.
  const isBrowsers = outlineStyle === "auto" || element.matches("[type=date]");
  const isOurs = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
  const isMarked = isBrowsers || isOurs;
  return isThere && isMarked ? null : element.outerHTML.slice(0, 200);
}
