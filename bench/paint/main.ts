// `npm run bench:paint`: how long a token takes from its bytes' arrival in the page until it is painted,
// on the pages that show model text, in Chromium before a stack of its own. Figures for people; nothing
// passes or fails by them.
import type { Page } from "playwright-core";
import { launchBrowser, newBrowserContext, signIn } from "../../test/e2e/browser.ts";
import { learnOnce, startStack } from "../../test/e2e/stack-process.ts";
import { median, quantile } from "../measure/statistics.ts";
import { alignedRows } from "../report/table.ts";

/** About as fast as a Model of seven billion writes. */
const TOKEN_DELAY_MS = 15;
const TOKENS = "256";

/** What a page's script leaves behind. */
interface Measured {
  paints: number[];
}

/** Runs in the page before its own scripts: when bytes came, and when what they changed was painted. */
function measure(): void {
  /**
   * A page that shows a change does so in fewer. Bytes that change nothing in sight, as of a branch whose
   * line is full, are no paint: they would be counted with the next change, whenever that comes.
   */
  const framesMost = 4;
  const paints: number[] = [];
  Object.assign(globalThis, { measured: { paints } satisfies Measured });
  let arrived: { at: number; frames: number } | null = null;
  let isWatching = false;
  let isInFrame = false;

  /** In the first task after this one, which in a frame is the first after its paint. */
  function afterwards(act: () => void): void {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = act;
    port2.postMessage(null);
  }

  /** Asked for before the page asks: so it comes before the page's own in every frame. */
  function watchFrames(): void {
    if (!isWatching) requestAnimationFrame(onFrame);
    isWatching = true;
  }

  function onFrame(): void {
    isWatching = false;
    if (arrived === null) return;
    isInFrame = true;
    afterwards(() => {
      isInFrame = false;
    });
    arrived.frames += 1;
    if (arrived.frames > framesMost) arrived = null;
    else watchFrames();
  }

  const { read } = ReadableStreamDefaultReader.prototype;
  ReadableStreamDefaultReader.prototype.read = async function readAndNote() {
    const result = await read.call(this);
    arrived ??= { at: performance.now(), frames: 0 };
    watchFrames();
    return result;
  };
  document.addEventListener("DOMContentLoaded", () => {
    const changed = new MutationObserver((records) => {
      const isToken = records.some(({ addedNodes }) => addedNodes.length > 0);
      if (!isToken || arrived === null) return;
      const { at } = arrived;
      arrived = null;
      const painted = () => paints.push(performance.now() - at);
      if (isInFrame) afterwards(painted);
      else requestAnimationFrame(() => afterwards(painted));
    });
    changed.observe(document.body, { childList: true, subtree: true });
  });
}

type Visit = (page: Page) => Promise<void>;

const pages: readonly { name: string; path: string; visit: Visit }[] = [
  {
    name: "Workbench, 1 stream",
    path: "/workbench",
    async visit(page) {
      await page.getByLabel("Text to continue").fill("Call me Ishmael.");
      await page.getByLabel("Most tokens").fill(TOKENS);
      await page.getByLabel("Text to continue").press("Control+Enter");
      await page.getByText(/^Ended/).waitFor({ timeout: 120_000 });
    },
  },
  {
    name: "Compare, 4 streams",
    path: "/compare",
    async visit(page) {
      for (const _ of [3, 4]) await page.getByRole("button", { name: "Add a column" }).click();
      await page.getByLabel("Text to continue").fill("Call me Ishmael.");
      for (const field of await page.getByLabel("Most tokens").all()) await field.fill(TOKENS);
      await page.getByLabel("Text to continue").press("Control+Enter");
      await page
        .getByText(/^Ended/)
        .nth(3)
        .waitFor({ timeout: 120_000 });
    },
  },
  {
    name: "Loom, 8 branches, one read",
    path: "/loom",
    async visit(page) {
      await page.getByRole("tree").focus();
      await page.keyboard.press("e");
      await page.getByRole("textbox", { name: "Text" }).fill("Call me Ishmael.");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("textbox", { name: "Branches" }).fill("8");
      await page.getByLabel("Tokens each").fill(TOKENS);
      await page.getByRole("button", { name: "Grow" }).click();
      // To a branch that is being written: its text stands there whole, where lines are cut.
      await page.getByRole("tree").press("ArrowRight");
      await page.getByText("Grown.").waitFor({ timeout: 120_000 });
    },
  },
];

async function main(): Promise<void> {
  learnOnce();
  const running = await startStack({ tokenDelayMs: TOKEN_DELAY_MS });
  const browser = await launchBrowser();
  try {
    const rows = [["page", "paints", "median ms", "p95 ms", "most ms"]];
    for (const { name, path, visit } of pages) {
      const context = await newBrowserContext(browser, { viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await page.addInitScript(measure);
      await signIn(page, running.stack, "researcher@example.org", path);
      await page.waitForURL(running.stack.app + path);
      await visit(page);
      const paints = await page.evaluate(
        () => (globalThis as unknown as { measured: Measured }).measured.paints,
      );
      const figures = [median(paints), quantile(paints, 0.95), Math.max(...paints)];
      rows.push([name, String(paints.length), ...figures.map((ms) => ms.toFixed(1))]);
      await context.close();
    }
    console.log(alignedRows(rows));
  } finally {
    await browser.close();
    await running.stop();
  }
}

await main();
