// A real Chromium, and how somebody signs in with it: through the local OpenID provider's own page.
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import type { Stack } from "./stack-process.ts";

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Nothing of its own on the network; no sandbox, since CI runs as root. */
const FLAGS = [
  ..."--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync".split(" "),
  ..."--disable-background-networking --disable-component-update".split(" "),
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
}

/** A browser of somebody's own: its cookies are nobody else's. Asks only this machine for anything. */
export async function newBrowserContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isHere = hostname === "127.0.0.1" || protocol === "data:";
    if (!isHere) throw new Error(`a page asks ${hostname} for something`);
  });
  return context;
}

/** From the App's sign-in page to where it leads. */
export async function signIn(page: Page, stack: Stack, email: string, to = "/"): Promise<void> {
  await page.goto(`${stack.app}/sign-in?${new URLSearchParams({ to })}`);
  await page.getByRole("link", { name: "Sign in" }).click();
  await pick(page, email);
}

/** On the provider's page. */
export async function pick(page: Page, email: string): Promise<void> {
  await page.getByLabel(/^Somebody else/).fill(email);
  await page.getByRole("button", { name: "Go on" }).click();
}
