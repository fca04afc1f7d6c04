// The docs' Markdown, before it is shown: its title, its parts, its links. No I/O.

/** The text between a page's heading and its next one, as search finds it. */
export interface TextPart {
  /** Of the heading; empty for a page's beginning. */
  anchor: string;
  heading: string;
  text: string;
}

/** The example address and Model of every page on disk, where `npm start` makes them work. */
const EXAMPLE_ORIGIN = "http://127.0.0.1:8787";
const EXAMPLE_MODEL = "local";

export interface Here {
  /** This deployment's address, without a trailing slash. */
  origin: string;
  /** The Model that examples use. */
  model: string;
}

/** Puts this deployment's address and Model into a page's Markdown or HTML. */
export function fillIn(text: string, { origin, model }: Here): string {
  return text
    .replaceAll(EXAMPLE_ORIGIN, origin)
    .replaceAll(`"${EXAMPLE_MODEL}"`, `"${model}"`)
    .replaceAll(`&quot;${EXAMPLE_MODEL}&quot;`, `&quot;${model}&quot;`);
}

export function titleOf(markdown: string): string {
  return plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "");
}

/** The first sentence below the title, for lists of pages. */
export function firstSentence(markdown: string): string {
  const paragraph =
    uncommented(markdown)
      .split(/^# .+$/m)[1]
      ?.trim()
      .split(/\n\s*\n/)[0] ?? "";
  const text = plain(paragraph.replaceAll("\n", " "));
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text;
}

/** As GitHub makes anchors of headings, so that a link works there and here. */
export class Anchors {
  readonly #seen = new Map<string, number>();

  of(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const before = this.#seen.get(slug) ?? 0;
    this.#seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  }
}

/** A page's parts by its headings, code included: people search for what they would type. */
export function partsOf(markdown: string): TextPart[] {
  const anchors = new Anchors();
  const parts: TextPart[] = [];
  let inCode = false;
  for (const line of uncommented(markdown).split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    const heading = inCode ? null : /^(#{1,3}) (.+)$/.exec(line);
    if (heading === null) {
      const last = parts.at(-1);
      const isRule = line.startsWith("```") || /^\|[-| ]+$/.test(line);
      if (last !== undefined && !isRule) last.text += `${plain(line)} `;
      continue;
    }
    const text = plain(heading[2] ?? "");
    const anchor = anchors.of(text);
    parts.push({ anchor: heading[1] === "#" ? "" : anchor, heading: text, text: "" });
  }
  return parts;
}

/** Words that people search for and the page does not use: `<!-- search: quota, credit -->`. */
export function searchWords(markdown: string): string {
  return /<!-- search: (.+?) -->/.exec(markdown)?.[1] ?? "";
}

/** Markdown's marks off a line; what stands in code stays as it is. */
export function plain(line: string): string {
  return line
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|]/g, "")
    .trim();
}

function uncommented(markdown: string): string {
  return markdown.replaceAll(/<!--.*?-->/gs, "");
}

/** Where a link of `file` (below docs/, with `.md`) leads. */
export type Target =
  | { kind: "page"; page: string; anchor: string }
  | { kind: "elsewhere"; href: string }
  /** A file of the repository that is not served, by its path in it. */
  | { kind: "repository"; path: string };

export function targetOf(href: string, file: string, isServed: (page: string) => boolean): Target {
  if (/^[a-z]+:/.test(href)) return { kind: "elsewhere", href };
  const { pathname, hash } = new URL(href, `https://repository.invalid/docs/${file}`);
  const page = /^\/docs\/(.+)\.md$/.exec(pathname)?.[1];
  if (page !== undefined && isServed(page)) return { kind: "page", page, anchor: hash };
  return { kind: "repository", path: pathname.slice(1) };
}

/** The Markdown as it is served: links lead to other Markdown pages here, comments are gone. */
export function servedMarkdown(
  markdown: string,
  file: string,
  { here, isServed }: { here: Here; isServed: (page: string) => boolean },
): string {
  const linked = uncommented(markdown).replaceAll(
    /\[([^\]]+)\]\(([^)\s]+)\)/g,
    (whole, text: string, href: string) => {
      const target = targetOf(href, file, isServed);
      if (target.kind === "elsewhere") return whole;
      if (target.kind === "repository") return `${text} (${target.path})`;
      return `[${text}](${here.origin}/docs/${target.page}.md${target.anchor})`;
    },
  );
  return fillIn(linked, here).trimStart();
}
