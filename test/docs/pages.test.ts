// What holds of every page on disk: length, links, numbers, code that is well-formed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { contents, OVERVIEW } from "../../src/worker/docs/contents.ts";
import { partsOf, targetOf, titleOf } from "../../src/worker/docs/doc-text.ts";
import { codeBlocks, diskPages, root } from "./pages.ts";

const pages = diskPages();
const names = [OVERVIEW, ...contents.flatMap((section) => section.pages)];
const isServed = (page: string) => names.includes(page);
const markdownOf = (page: string) => pages.find(({ file }) => file === `${page}.md`)?.markdown;
const anchorsOf = (page: string) =>
  partsOf(markdownOf(page) ?? "").map(({ anchor }) => `#${anchor}`);

/** More than a page one question needs. */
const WORDS_MOST = 700;

/** Generated tables, which are looked things up in and not read. */
const isReference = (file: string) =>
  file.startsWith("reference/") || file === "operate/configuration.md" || file === "README.md";

describe("the contents", () => {
  test("have every page that is in docs/, and no other", () => {
    expect(pages.map(({ file }) => file).sort()).toEqual(names.map((name) => `${name}.md`).sort());
  });

  test("have no two pages of one title", () => {
    const titles = pages.map(({ markdown }) => titleOf(markdown));
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles).not.toContain("");
  });
});

describe.each(pages)("$file", ({ file, markdown }) => {
  test.skipIf(isReference(file))(`has at most ${WORDS_MOST} words`, () => {
    expect(markdown.replaceAll(/<!--.*?-->/gs, "").split(/\s+/).length).toBeLessThanOrEqual(
      WORDS_MOST,
    );
  });

  test("links to what there is", () => {
    const dead = linksOf(markdown).filter((href) => {
      const target = href.startsWith("#")
        ? { kind: "page" as const, page: file.replace(/\.md$/, ""), anchor: href }
        : targetOf(href, file, isServed);
      if (target.kind === "elsewhere") return false;
      if (target.kind === "repository") return !existsSync(join(root, target.path));
      return target.anchor !== "" && !anchorsOf(target.page).includes(target.anchor);
    });
    expect(dead).toEqual([]);
  });

  test.skipIf(isReference(file))("has its numbers from the code", () => {
    expect(loneNumbers(markdown)).toEqual([]);
  });

  test("has no heading but one of the first level, and none that leaves a level out", () => {
    const levels = headingLevels(markdown);
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    for (const [at, level] of levels.entries()) {
      expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1);
    }
  });
});

describe("the errors' page", () => {
  test.each(Object.keys(errorCatalogue) as ErrorCode[])("has a place for %s", (code) => {
    expect(anchorsOf("reference/errors")).toContain(`#${code}`);
  });
});

test("the App links to pages that there are", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("worker/docs/"))
    .map((path) => readFileSync(join(root, "src", path), "utf8"));
  const hrefs = sources.flatMap((text) => text.match(/"\/docs\/[^"]*"/g) ?? []);
  const addresses = hrefs.map((href) => href.slice(1, -1)).filter((href) => !href.endsWith("*"));
  expect(addresses).not.toEqual([]);
  for (const address of addresses) {
    const { pathname, hash } = new URL(address, "https://here.invalid");
    const page = pathname.slice("/docs/".length);
    expect(names).toContain(page);
    if (hash !== "") expect(anchorsOf(page)).toContain(hash);
  }
});

describe("code that no test runs", () => {
  const blocks = pages.flatMap(codeBlocks).filter(({ notRun }) => notRun !== null);

  test("is well-formed shell, and says why it is not run", () => {
    for (const { language, text, notRun } of blocks) {
      expect(language).toBe("sh");
      expect(notRun?.length).toBeGreaterThan(10);
      expect(spawnSync("bash", ["-n"], { input: text, encoding: "utf8" }).stderr).toBe("");
    }
  });

  test("is in these pages only", () => {
    expect([...new Set(blocks.map(({ file }) => file))]).toEqual([
      "how-to/score-text.md",
      "operate/add-a-model.md",
      "operate/deploy.md",
      "operate/incidents.md",
      "operate/leaked-keys.md",
      "operate/rotate-secrets.md",
      "operate/run-on-your-own-gpu-machine.md",
    ]);
  });
});

function linksOf(markdown: string): string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
}

function prose(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```/gms, "");
}

/** Numbers of two digits or more that stand in the text by themselves. */
function loneNumbers(markdown: string): string[] {
  const text = prose(markdown)
    .replaceAll(/<!-- =\S+ -->.*?<!-- \/ -->/g, "")
    .replaceAll(/<!--.*?-->/gs, "")
    .replaceAll(/`[^`]*`/g, "")
    .replaceAll(/\]\([^)]*\)/g, "]");
  const statuses = new Set(Object.values(errorCatalogue).map(({ status }) => String(status)));
  const known = new Set([...statuses, ...numbersThatAreNotOurs]);
  return (text.match(/(?<![\w.^])\d[\d,]*\d(?![\w])/g) ?? []).filter((found) => !known.has(found));
}

/** Each with what it is. */
const numbersThatAreNotOurs = [
  "200", // the HTTP status of a stream
  "40", // the hex digits of a git commit
];

function headingLevels(markdown: string): number[] {
  return [...prose(markdown).matchAll(/^(#{1,6}) /gm)].map((match) => match[1]?.length ?? 0);
}
