// `GET /docs/search?q=`: what was found. The box stands beside the list of pages, as everywhere.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../environment.ts";
import { inDocs } from "./doc-page.tsx";
import { fillIn } from "./doc-text.ts";
import { hereOf } from "./pages.ts";
import { type Found, QUERY_MAX_CHARACTERS, searchDocs } from "./search.ts";

export function showSearch(c: Context<AppEnv>): Promise<Response> {
  const query = (c.req.query("q") ?? "").trim().slice(0, QUERY_MAX_CHARACTERS);
  const found = query === "" ? [] : searchDocs(query);
  return inDocs(
    c,
    {
      title: query === "" ? "Search the docs" : `${query} · Search the docs`,
      current: null,
      query,
    },
    <>
      <h1>Search the docs</h1>
      <div id="found" class="block" aria-live="polite">
        {query === "" ? null : <Results of={found} query={query} c={c} />}
      </div>
    </>,
  );
}

function Results(props: { of: readonly Found[]; query: string; c: Context<AppEnv> }): Child {
  const { of, query, c } = props;
  if (of.length === 0) {
    return (
      <p>
        Nothing has these words: <strong>{query}</strong>. Try fewer or others, or look at{" "}
        <a href="/docs">all pages</a>.
      </p>
    );
  }
  const here = hereOf(c);
  return (
    <ol class="list found">
      {of.map(({ url, page, heading, excerpt }) => (
        <li>
          <a href={url}>{heading === "" ? page : heading}</a>
          {heading === "" ? null : <span class="quiet"> in {page}</span>}
          <p class="hint">{fillIn(excerpt, here)}</p>
        </li>
      ))}
    </ol>
  );
}
