// What must be wrong with no page, whoever's it is: what axe finds, what a narrow screen cuts off, what
// the browser complains about, what moves after it stood there, what is too heavy.
import { gzipSync } from "node:zlib";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page, Response } from "playwright-core";

/** The narrowest, the widest, and one between, where axe finds nothing that it does not at these. */
const widths = [320, 1600, 768] as const;
const AXE_WIDTHS: readonly number[] = [320, 1600];
/** Colours depend on the theme and not on the width. */
const DARK_WIDTH = 1600;

/** Of a page with all it loads, compressed. */
export const PAGE_BYTES_MOST = 60 * 1024;

const HEIGHT = 900;

/**
 * A browser that is busy paints a table while it comes, and its columns grow: some thousandths. What
 * jumps is far more; web.dev calls up to 0.1 good.
 */
const LAYOUT_SHIFT_MOST = 0.02;

/** Of what it passed, a page of rows has thousands of nodes: their way out of the browser is long. */
const EVERYTHING: RunOptions = { resultTypes: ["violations"], elementRef: false };
/** What of axe's a theme changes. */
const COLOURS: RunOptions = { ...EVERYTHING, runOnly: ["color-contrast", "link-in-text-block"] };

/** Those that load axe with whatever they load: sending it in for each look takes longer than to look. */
const withAxe = new WeakSet<Page>();

/** Opens the page at each width and in both themes. Each defect says where it was seen. */
export async function pageDefects(page: Page, url: string): Promise<string[]> {
  const found: string[] = [];
  const complain = (message: string) => found.push(`${url}: ${message}`);
  page.on("pageerror", (error) => complain(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complain(message.text());
  });
  if (!withAxe.has(page)) await page.addInitScript({ content: axe.source });
  withAxe.add(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(url);
    const light = await laidOutWrongly(page);
    if (AXE_WIDTHS.includes(width)) light.push(...(await violations(page, EVERYTHING)));
    for (const defect of light) complain(`${width} light: ${defect}`);
    if (width !== DARK_WIDTH) continue;
    await page.emulateMedia({ colorScheme: "dark" });
    for (const defect of await violations(page, COLOURS)) complain(`${width} dark: ${defect}`);
  }
  page.removeAllListeners("pageerror").removeAllListeners("console");
  return found;
}

async function violations(page: Page, options: RunOptions): Promise<string[]> {
  const found = await page.evaluate(lookWithAxe, options);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Runs in the page. */
async function lookWithAxe(options: RunOptions): Promise<AxeResults["violations"]> {
  const { axe } = globalThis as unknown as {
    axe: { run(options: RunOptions): Promise<AxeResults> };
  };
  return (await axe.run(options)).violations;
}

/** As the page stands there, and since it was opened. */
export async function laidOutWrongly(page: Page): Promise<string[]> {
  const tooWide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  const moved = await page.evaluate(layoutShift);
  return [
    ...(tooWide > 0 ? [`wider than the screen by ${tooWide} px`] : []),
    ...(moved > LAYOUT_SHIFT_MOST ? [`moved by ${moved} while it loaded`] : []),
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
