// What must be wrong with no page, whoever's it is: what axe finds, what a narrow screen cuts off, what
// the browser complains about, what moves after it stood there, what is too heavy.
import { gzipSync } from "node:zlib";
import AxeBuilder from "@axe-core/playwright";
import type { Page, Response } from "playwright-core";

/** Where a page's layout changes; axe looks at the first and the last of them. */
const widths = [320, 1440, 768] as const;
const AXE_WIDTHS: readonly number[] = [320, 1440];
/** Colours depend on the theme and not on the width. */
const DARK_WIDTH = 1440;

/** Of a page with all it loads, compressed. */
export const PAGE_BYTES_MOST = 60 * 1024;

const HEIGHT = 900;

/** What of axe's a theme changes. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Opens the page at each width and in both themes. Each defect says where it was seen. */
export async function pageDefects(page: Page, url: string): Promise<string[]> {
  const found: string[] = [];
  const complain = (message: string) => found.push(`${url}: ${message}`);
  page.on("pageerror", (error) => complain(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complain(message.text());
  });
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(url);
    const light = await laidOutWrongly(page);
    if (AXE_WIDTHS.includes(width)) light.push(...(await violations(new AxeBuilder({ page }))));
    for (const defect of light) complain(`${width} light: ${defect}`);
    if (width !== DARK_WIDTH) continue;
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await violations(new AxeBuilder({ page }).withRules(COLOURS));
    for (const defect of dark) complain(`${width} dark: ${defect}`);
  }
  page.removeAllListeners("pageerror").removeAllListeners("console");
  return found;
}

async function violations(axe: AxeBuilder): Promise<string[]> {
  // Legacy: no page of its own to gather what frames say, since there are none. Much faster.
  const { violations: all } = await axe.setLegacyMode(true).analyze();
  return all.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function laidOutWrongly(page: Page): Promise<string[]> {
  const tooWide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  const moved = await page.evaluate(layoutShift);
  return [
    ...(tooWide > 0 ? [`wider than the screen by ${tooWide} px`] : []),
    ...(moved > 0 ? [`moved by ${moved} while it loaded`] : []),
  ];
}

/** Runs in the page. */
function layoutShift(): Promise<number> {
  return new Promise((resolve) => {
    const observer = new PerformanceObserver(() => undefined);
    observer.observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => {
      const shifts = observer.takeRecords() as unknown as { value: number }[];
      resolve(shifts.reduce((sum, { value }) => sum + value, 0));
    });
  });
}

/** The bytes of a page and of all it loads, compressed as Cloudflare would at least. */
export async function compressedBytes(page: Page, url: string): Promise<number> {
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await page.goto(url, { waitUntil: "networkidle" });
  page.removeAllListeners("response");
  const bodies = await Promise.all(responses.map((response) => response.body()));
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
}
