// A page of the docs inside the App's layout: the way around, the text, what comes before and after.
import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { page } from "../app/layout/page.tsx";
import { readSession } from "../app/session.ts";
import type { AppEnv } from "../environment.ts";
import { contents, OVERVIEW } from "./contents.ts";
import { fillIn } from "./doc-text.ts";
import { hereOf, pageNames, pageTitle, pageUrl, renderedPage } from "./pages.ts";
import { QUERY_MAX_CHARACTERS } from "./search.ts";

/** A page with fewer headings is seen at a glance. */
const HEADINGS_LISTED_FROM = 4;

export async function docPage(c: Context<AppEnv>, name: string): Promise<Response> {
  const { title, html, headings } = renderedPage(name);
  const here = hereOf(c);
  return inDocs(
    c,
    { title: name === OVERVIEW ? "Docs" : pageTitle(name), current: name },
    <>
      <article class="prose">
        {raw(title)}
        {headings.length < HEADINGS_LISTED_FROM || name === OVERVIEW ? null : (
          <details class="on-this-page">
            <summary>On this page</summary>
            <ul>
              {headings.map(({ anchor, title }) => (
                <li>
                  <a href={`#${anchor}`}>{title}</a>
                </li>
              ))}
            </ul>
          </details>
        )}
        {raw(fillIn(html, here))}
      </article>
      <Neighbours of={name} />
    </>,
  );
}

/** What stands beside the list of pages; the docs are open, whoever reads them. In search no page is current. */
export async function inDocs(
  c: Context<AppEnv>,
  options: { title: string; current: string | null; query?: string },
  content: Child,
): Promise<Response> {
  const { title, current, query } = options;
  await readSession(c);
  return page(
    c,
    { title, current: "docs", script: "docs.js", look: "docs.css" },
    <div class="docs">
      <div class="docs-around">
        <SearchBox query={query} />
        <details class="docs-pages">
          <summary>{current === null ? "All pages" : `All pages: ${sectionOf(current)}`}</summary>
          <nav aria-label="Docs">
            {contents.map((section) => (
              <Section of={section} current={current} />
            ))}
          </nav>
        </details>
      </div>
      <div class="docs-text">{content}</div>
    </div>,
  );
}

const searchesWhileTyping = {
  "hx-get": "/docs/search",
  "hx-trigger": "input changed delay:200ms",
  "hx-target": "#found",
  "hx-select": "#found",
  "hx-swap": "outerHTML",
};

/** With a query one is on the page of results, which change while one types. */
function SearchBox({ query }: { query: string | undefined }): Child {
  return (
    <search>
      <form action="/docs/search">
        <label for="docs-q" class="for-readers">
          Search the docs
        </label>
        <input
          id="docs-q"
          name="q"
          type="search"
          value={query}
          placeholder="Search the docs"
          maxlength={QUERY_MAX_CHARACTERS}
          autocomplete="off"
          {...(query !== undefined && searchesWhileTyping)}
        />
      </form>
    </search>
  );
}

function Section(props: { of: (typeof contents)[number]; current: string | null }): Child {
  const { of, current } = props;
  return (
    <>
      {of.pages.length === 1 ? null : <h2>{of.title}</h2>}
      <ul>
        {of.pages.map((name) => (
          <li>
            <a href={pageUrl(name)} aria-current={name === current ? "page" : undefined}>
              {pageTitle(name)}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function sectionOf(name: string): string {
  return contents.find(({ pages }) => pages.includes(name))?.title ?? "Overview";
}

function Neighbours({ of }: { of: string }): Child {
  const at = pageNames.indexOf(of);
  const [before, after] = at < 0 ? [null, pageNames[0]] : [pageNames[at - 1], pageNames[at + 1]];
  return (
    <nav class="neighbours" aria-label="Pages before and after">
      {before ? (
        <a href={pageUrl(before)} rel="prev">
          <span class="quiet">Before:</span> {pageTitle(before)}
        </a>
      ) : null}
      {after ? (
        <a href={pageUrl(after)} rel="next">
          <span class="quiet">Next:</span> {pageTitle(after)}
        </a>
      ) : null}
      <a href={`/docs/${of}.md`} class="quiet">
        This page as Markdown
      </a>
    </nav>
  );
}
