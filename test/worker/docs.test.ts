// The docs as they are served: for people, for programs, and what a search finds first.
import { describe, expect, test } from "vitest";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { pageNames, pageUrl } from "../../src/worker/docs/pages.ts";
import { searchDocs } from "../../src/worker/docs/search.ts";
import { supportContact } from "./bindings.ts";
import { call, errorOf, ORIGIN } from "./calling.ts";

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function pageAt(path: string, headers: Record<string, string> = html): Promise<string> {
  const response = await call(path, { headers });
  expect(response.status).toBe(200);
  return response.text();
}

describe("a page of the docs", () => {
  test.each(pageNames)("%s is there for whoever asks, as a page and as Markdown", async (name) => {
    const page = await pageAt(pageUrl(name));
    expect(page).toContain("<h1>");
    expect(page).toContain(supportContact);
    expect(page).not.toContain("127.0.0.1:8787");
    const markdown = await pageAt(`/docs/${name}.md`);
    expect(markdown).toMatch(/^# /);
    expect(markdown).toContain(`Help: ${supportContact}`);
    expect(markdown).not.toContain("127.0.0.1:8787");
    expect(markdown).not.toContain("<!--");
  });

  test("is Markdown for a program that asks for it", async () => {
    const response = await call("/docs/start/quickstart", { headers: { accept: "text/markdown" } });
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(response.headers.get("vary")).toBe("accept");
    expect(await response.text()).toContain(`curl ${ORIGIN}/v1/completions`);
  });

  test("has this deployment's address in its code", async () => {
    expect(await pageAt("/docs/start/quickstart")).toContain(`base_url=&quot;${ORIGIN}/v1&quot;`);
  });

  test("keeps the App's content security policy", async () => {
    const { headers } = await call("/docs/start/quickstart", { headers: html });
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
  });

  test("that there is none of is a 404, as a page or as JSON", async () => {
    const page = await call("/docs/nothing", { headers: html });
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("<h1>");
    for (const path of ["/docs/nothing", "/docs/nothing.md", "/docs/__proto__", "/docs/"]) {
      expect(await errorOf(call(path))).toMatchObject({ status: 404, code: "not_found" });
    }
  });
});

test("the overview leads to every page", async () => {
  const overview = await pageAt("/docs");
  for (const name of pageNames) expect(overview).toContain(`href="/docs/${name}"`);
});

test("/llms.txt has an index, and every page in full", async () => {
  const all = await pageAt("/llms.txt", {});
  expect(all).toMatch(/^# Continuo\n\n> /);
  for (const name of pageNames) expect(all).toContain(`(${ORIGIN}/docs/${name}.md): `);
  const markdown = await pageAt("/docs/how-to/stream.md");
  expect(all).toContain(markdown.replace(/\nHelp: .*\n$/, ""));
});

test("an error's message leads to the place that explains its code", async () => {
  const error = await errorOf(call("/v1/account"));
  const { pathname, hash } = new URL(/https:\S+$/.exec(error.message)?.[0] ?? "");
  expect(hash).toBe("#invalid_api_key");
  const page = await pageAt(pathname);
  for (const code of Object.keys(errorCatalogue)) expect(page).toContain(`id="${code}"`);
});

describe("search", () => {
  /** What a newcomer types, and the page that has to be among the first two. */
  test.each([
    ["how do I start", "/docs/start/quickstart"],
    ["cold start", "/docs/explanations/warm-and-cold-models"],
    ["why does the model not answer my question", "/docs/start/what-a-base-model-does"],
    ["why 429", "/docs/how-to/handle-429-errors"],
    ["TypeError unexpected keyword argument", "/docs/how-to/send-vllm-fields"],
    ["first request is slow", "/docs/explanations/warm-and-cold-models"],
    ["same output twice", "/docs/how-to/get-the-same-tokens-again"],
    ["how do I get more quota", "/docs/how-to/ask-for-more-tokens"],
    ["my key leaked", "/docs/how-to/revoke-a-key"],
    ["full distribution over tokens", "/docs/how-to/get-the-whole-vocabulary"],
    ["do you store my prompts", "/docs/explanations/privacy"],
    ["lm-eval harness", "/docs/how-to/score-text"],
    ["can I share my key with a colleague", "/docs/start/your-access-is-personal"],
    ["chat completions", "/docs/explanations/no-chat-template"],
    ["temprature", "/docs/reference/fields"],
  ])("%s finds %s", (question, url) => {
    const first = searchDocs(question).slice(0, 2);
    expect(first.map((found) => found.url.split("#")[0])).toContain(url);
  });

  test("shows what it found without a script, and says when it found nothing", async () => {
    expect(await pageAt("/docs/search?q=revoke")).toContain('href="/docs/how-to/revoke-a-key"');
    expect(await pageAt("/docs/search?q=xylophone")).toContain("Nothing has these words");
    expect(await pageAt("/docs/search")).toContain("Search the docs");
  });

  test("takes a query as text, however long", async () => {
    const query = encodeURIComponent(`<script>alert(1)</script>${"x".repeat(5_000)}`);
    expect(await pageAt(`/docs/search?q=${query}`)).not.toContain("<script>alert");
  });
});
