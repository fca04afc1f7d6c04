// The docs' routes: pages for people, the same as Markdown, all on one page for programs, search.
import { type Context, Hono } from "hono";
import { failurePage } from "../app/layout/error-page.tsx";
import type { AppEnv } from "../environment.ts";
import { contents, OVERVIEW } from "./contents.ts";
import { docPage } from "./doc-page.tsx";
import { firstSentence, servedMarkdown } from "./doc-text.ts";
import { hereOf, isServed, markdownOf, pageNames, pageTitle } from "./pages.ts";
import { showSearch } from "./search-page.tsx";

export const docsPages = new Hono<AppEnv>();
docsPages.onError(failurePage);

docsPages.get("/docs", (c) => showPage(c, OVERVIEW));
docsPages.get("/docs/search", showSearch);
docsPages.get("/docs/*", (c) => {
  const name = c.req.path.slice("/docs/".length);
  if (name.endsWith(".md")) return showMarkdown(c, name.slice(0, -".md".length));
  return showPage(c, name);
});
docsPages.get("/llms.txt", showAll);

function showPage(c: Context<AppEnv>, name: string): Response | Promise<Response> {
  c.header("vary", "accept");
  if (asksForMarkdown(c.req.header("accept") ?? "")) return showMarkdown(c, name);
  return isServed(name) ? docPage(c, name) : c.notFound();
}

/** Programs that read for a model ask so; a browser never does. */
function asksForMarkdown(accept: string): boolean {
  return accept.includes("text/markdown") && !accept.includes("text/html");
}

function showMarkdown(c: Context<AppEnv>, name: string): Response | Promise<Response> {
  if (!isServed(name)) return c.notFound();
  return plainText(c, `${markdownAt(c, name)}${support(c)}`, "text/markdown");
}

/** https://llmstxt.org: a title, what this is, the list of pages; then every page in full. */
function showAll(c: Context<AppEnv>): Response {
  const { origin } = hereOf(c);
  const lists = contents.map(({ title, pages }) => {
    const lines = pages.map((name) => {
      return `- [${pageTitle(name)}](${origin}/docs/${name}.md): ${firstSentence(markdownAt(c, name))}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  const index = [
    "# Continuo",
    "> An inference API for base models, which continue text. It speaks OpenAI's completions protocol; there is no chat.",
    `The API is at ${origin}/v1, its OpenAPI document at ${origin}/openapi.json. Every page below follows in full.`,
    ...lists,
  ].join("\n\n");
  const texts = pageNames.map((name) => `---\n\n${markdownAt(c, name)}`);
  return plainText(c, [index, ...texts].join("\n") + support(c), "text/plain");
}

function markdownAt(c: Context<AppEnv>, name: string): string {
  return servedMarkdown(markdownOf(name), `${name}.md`, { here: hereOf(c), isServed });
}

/** As on every page's foot. */
function support(c: Context<AppEnv>): string {
  const { SUPPORT_CONTACT } = c.get("services").configuration;
  return SUPPORT_CONTACT === undefined ? "" : `\nHelp: ${SUPPORT_CONTACT}\n`;
}

function plainText(c: Context<AppEnv>, text: string, type: string): Response {
  return c.body(text, 200, { "content-type": `${type}; charset=utf-8` });
}
