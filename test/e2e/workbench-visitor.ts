// Somebody at the Workbench, or at another page that shows model text, for the tests of them.
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { newBrowserContext, signIn } from "./browser.ts";
import { admin, newPerson } from "./person.ts";
import type { Stack } from "./stack-process.ts";

/** Has a character of several tokens on the local Model. */
export const TEXT = "Call me Ishmael, précisément 評";

export interface At {
  id: string;
  page: Page;
}

/** Somebody new with tokens, at the Workbench or another page. */
export async function atTheBench(browser: Browser, stack: Stack, to = "/workbench"): Promise<At> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role: "member" });
  await admin(stack, "POST", `/people/${id}/grants`, { tokens: 100_000 });
  const context = await newBrowserContext(browser, { viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await signIn(page, stack, email, to);
  await page.waitForURL(stack.app + to);
  return { id, page };
}

export async function continued(page: Page, seed = 7): Promise<void> {
  await page.getByLabel("Text to continue").fill(TEXT);
  await page.getByLabel("Most tokens").fill("24");
  await page.getByLabel("Seed").fill(String(seed));
  await page.getByRole("button", { name: "Continue" }).click();
  await ended(page);
}

/** What the API says to a script, asked for as these pages ask. */
export interface ScriptChoice {
  text: string;
  token_ids: number[];
  logprobs: { token_logprobs: number[]; top_logprobs: Record<string, number>[] };
}

/** The same request by a script of another person's. */
export async function byScript(stack: Stack, body: object): Promise<ScriptChoice> {
  const person = await newPerson(stack);
  const asked = { return_token_ids: true, return_tokens_as_token_ids: true, ...body };
  const answer = (await (await person.complete(asked)).json()) as { choices: ScriptChoice[] };
  const [choice] = answer.choices;
  if (choice === undefined) throw new Error("no choice");
  return choice;
}

/** As the pages write it. */
export function shownNats(logprob: number): string {
  return `${logprob.toFixed(4).replace("-", "−")} nats`;
}

/** The step of the scale by surprise in bits. */
export function levelOfBits(logprob: number): number {
  const bits = -logprob / Math.LN2;
  return [1, 2, 4, 6, 8, 12].filter((most) => bits > most).length;
}

export interface DrawnToken {
  text: string;
  level: number;
  says: string;
}

/** Of each token that a Model wrote there: its text, its colour's step, what a screen reader says. */
export function drawnTokens(page: Page, within = "body"): Promise<DrawnToken[]> {
  return page.locator(`${within} .token.model`).evaluateAll((all) =>
    all.map((one) => ({
      text: one.textContent ?? "",
      level: Number(/level-(\d)/.exec(one.className)?.[1]),
      says: one.getAttribute("aria-label") ?? "",
    })),
  );
}

export async function ended(page: Page): Promise<void> {
  await page.getByText("Ended at the most tokens.").waitFor();
  await page.locator("#text-frame[aria-busy=false]").waitFor();
}

/** What is wrong with a page that has axe, on a narrow screen and on a wide one, in a theme each. */
export async function lookedAt(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, width] of [["light", 320] as const, ["dark", 1440] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    found.push(...(await page.evaluate(lookAround)));
  }
  return found;
}

/** Runs in a page that has axe: what axe finds, and whether the screen is wide enough. */
async function lookAround(): Promise<string[]> {
  const { axe } = globalThis as unknown as {
    axe: { run(options: object): Promise<AxeResults> };
  };
  const { violations } = await axe.run({ resultTypes: ["violations"], elementRef: false });
  const { scrollWidth, clientWidth } = document.documentElement;
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...(scrollWidth > clientWidth ? [`wider than the screen: ${scrollWidth}`] : []),
  ];
}
