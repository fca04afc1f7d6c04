// A page's Markdown as HTML. The text is our own; raw HTML in it is dropped all the same, so that
// nothing gets round the content security policy by mistake. No I/O.
import { Marked, type Token, type Tokens } from "marked";
import { Anchors, plain, type Target } from "./doc-text.ts";

export interface RenderedPage {
  /** The heading of the first level, which is not in `html`. */
  title: string;
  html: string;
  /** Of the second level, for the list at a long page's top. */
  headings: { anchor: string; title: string }[];
}

/** What stands side by side, as its tabs are called. */
const tabNames: Readonly<Record<string, string>> = {
  sh: "curl",
  python: "Python",
  ts: "TypeScript",
};

const TABS = "tabs";

/** `link` says where an address of this page leads. */
export function renderMarkdown(markdown: string, link: (href: string) => Target): RenderedPage {
  const anchors = new Anchors();
  const headings: RenderedPage["headings"] = [];
  let pageTitle = "";
  let codes = 0;
  let tables = 0;
  const marked = new Marked({
    extensions: [{ name: TABS, renderer: (token) => String(token.html) }],
    renderer: {
      heading({ depth, text, tokens }) {
        const title = plain(text);
        const anchor = anchors.of(title);
        const inside = this.parser.parseInline(tokens);
        if (depth === 1) {
          pageTitle = `<h1>${inside}</h1>`;
          return "";
        }
        if (depth === 2) headings.push({ anchor, title });
        const mark = `<a class="anchor" href="#${anchor}" aria-label="Link to: ${escapeHtml(title)}">#</a>`;
        return `<h${depth} id="${anchor}">${inside} ${mark}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return linkHtml(link(href), this.parser.parseInline(tokens));
      },
      code({ text, lang = "" }) {
        codes += 1;
        return codeHtml(codes, languageOf(lang), text);
      },
      table(token) {
        tables += 1;
        return tableHtml(tables, token, (cell) => this.parser.parseInline(cell.tokens));
      },
      html: () => "",
    },
  });
  const tokens = withTabs(marked.lexer(markdown), (group) => {
    const first = codes + 1;
    codes += group.length;
    return tabsHtml(first, group);
  });
  const html = marked.parser(tokens);
  return { title: pageTitle, html, headings };
}

/** Code in several languages, block after block, becomes one block with tabs. */
function withTabs(tokens: Token[], render: (group: readonly Tokens.Code[]) => string): Token[] {
  const out: Token[] = [];
  let group: Tokens.Code[] = [];
  const close = () => {
    if (group.length === 1) out.push(...group);
    if (group.length > 1) out.push({ type: TABS, raw: "", html: render(group) });
    group = [];
  };
  for (const token of tokens) {
    if (token.type === "space") continue;
    const language = isCode(token) ? languageOf(token.lang ?? "") : "";
    const isNew = group.every((code) => languageOf(code.lang ?? "") !== language);
    if (!isCode(token) || !Object.hasOwn(tabNames, language)) {
      close();
      out.push(token);
      continue;
    }
    if (!isNew) close();
    group.push(token);
  }
  close();
  return out;
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === "code";
}

/** The first word of a fence's info string; what follows is for the tests. */
function languageOf(info: string): string {
  return info.split(" ")[0] ?? "";
}

function codeHtml(number: number, language: string, text: string): string {
  const id = `code-${number}`;
  return `<div class="copyable"><section tabindex="0" aria-label="Code ${number}: ${tabNames[language] ?? "text"}"><pre id="${id}">${escapeHtml(text)}</pre></section><button type="button" class="copy" data-copy="${id}" hidden>Copy</button></div>\n`;
}

/** Radio buttons, so that the tabs need no script. `first` makes the ids of this group. */
function tabsHtml(first: number, group: readonly Tokens.Code[]): string {
  const languages = group.map(({ lang = "" }) => languageOf(lang));
  const choices = languages.map((language, at) => {
    const id = `tab-${first}-${language}`;
    const checked = at === 0 ? " checked" : "";
    return `<input type="radio" name="tabs-${first}" id="${id}" value="${language}"${checked}><label for="${id}">${tabNames[language]}</label>`;
  });
  const panels = group.map(({ text }, at) => {
    const language = languages[at] ?? "";
    return `<div class="panel" data-language="${language}">${codeHtml(first + at, language, text)}</div>`;
  });
  return `<fieldset class="code-tabs"><legend class="for-readers">Language</legend>${choices.join("")}${panels.join("")}</fieldset>\n`;
}

function linkHtml(target: Target, inside: string): string {
  switch (target.kind) {
    case "page":
      return `<a href="/docs/${target.page}${target.anchor}">${inside}</a>`;
    case "elsewhere":
      return `<a href="${escapeHtml(target.href)}">${inside}</a>`;
    case "repository":
      return `${inside} (<code>${escapeHtml(target.path)}</code> in the repository)`;
  }
}

/** `number` makes its name differ from those of other tables of the page. */
function tableHtml(
  number: number,
  token: Tokens.Table,
  inside: (cell: Tokens.TableCell) => string,
): string {
  const columns = token.header.map(({ text }) => plain(text)).join(", ");
  const head = token.header.map((cell) => `<th scope="col">${inside(cell)}</th>`).join("");
  const rows = token.rows.map((row) => {
    return `<tr>${row.map((cell) => `<td>${inside(cell)}</td>`).join("")}</tr>`;
  });
  return `<section class="table-frame" tabindex="0" aria-label="Table ${number}: ${escapeHtml(columns)}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></section>\n`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
