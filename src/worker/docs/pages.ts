// Every page by its name, parsed at most once an isolate.
import type { Context } from "hono";
import type { AppEnv } from "../environment.ts";
import { contents, OVERVIEW } from "./contents.ts";
import { type Here, targetOf, titleOf } from "./doc-text.ts";
import { type RenderedPage, renderMarkdown } from "./render-markdown.ts";
import { texts } from "./texts.ts";

/** In the order of the contents, which is that of Previous and Next. */
export const pageNames: readonly string[] = contents.flatMap(({ pages }) => pages);

export function isServed(page: string): boolean {
  return Object.hasOwn(texts, page);
}

export function markdownOf(page: string): string {
  return texts[page] ?? "";
}

export function pageTitle(page: string): string {
  return titleOf(markdownOf(page));
}

/** Where a page is: the overview at `/docs`, the others below it. */
export function pageUrl(page: string): string {
  return page === OVERVIEW ? "/docs" : `/docs/${page}`;
}

const beside: readonly string[] = ["/", "/docs", "/docs/search", "/llms.txt"];

/** Whether there is something to read at this path, beside the API and the App. */
export function isPage(path: string): boolean {
  const name = /^\/docs\/(.+?)(\.md)?$/.exec(path)?.[1];
  return beside.includes(path) || (name !== undefined && isServed(name));
}

const rendered = new Map<string, RenderedPage>();

/** With the addresses of the example still in it. */
export function renderedPage(page: string): RenderedPage {
  let found = rendered.get(page);
  if (found === undefined) {
    found = renderMarkdown(markdownOf(page), (href) => targetOf(href, `${page}.md`, isServed));
    rendered.set(page, found);
  }
  return found;
}

/** What stands for the example's address and Model in what this request is answered with. */
export function hereOf(c: Context<AppEnv>): Here {
  const { configuration, models } = c.get("services");
  const origin = configuration.APP_URL ?? new URL(c.req.url).origin;
  return { origin, model: models.keys().next().value ?? "local" };
}
