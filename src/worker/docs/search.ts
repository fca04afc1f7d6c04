// Finds parts of pages by words. The index is made by the first search in an isolate.
import MiniSearch from "minisearch";
import { partsOf, searchWords } from "./doc-text.ts";
import { markdownOf, pageNames, pageTitle, pageUrl } from "./pages.ts";

export interface Found {
  url: string;
  page: string;
  /** Empty for a page's beginning. */
  heading: string;
  /** What stands there around the first word found. */
  excerpt: string;
}

/** A page more would not be read; the words can be chosen better. */
const FOUND_MOST = 10;

/** A query is a few words; more would only make work. */
export const QUERY_MAX_CHARACTERS = 200;

const EXCERPT_CHARACTERS = 160;

/** Words of a question that say nothing of what it is about. */
const FILLERS = new Set(
  "a an and are as at be by can could do does for from get has have how i if in into is it its me my of on or should so that the their them then there these this to was what when where which who why will with would you your".split(
    " ",
  ),
);

interface Entry extends Omit<Found, "excerpt"> {
  id: number;
  title: string;
  text: string;
  /** What people call it who have not read the page. */
  also: string;
}

let index: MiniSearch<Entry> | null = null;

export function searchDocs(query: string): Found[] {
  index ??= makeIndex();
  const asked = query.slice(0, QUERY_MAX_CHARACTERS);
  const strict = index.search(asked, { combineWith: "AND" });
  const loose = index.search(asked);
  const seen = new Set<number>();
  const found: Found[] = [];
  for (const { id, terms, ...entry } of [...strict, ...loose]) {
    if (seen.has(id) || found.length === FOUND_MOST) continue;
    seen.add(id);
    const { url, page, heading, text } = entry as unknown as Entry;
    found.push({ url, page, heading, excerpt: excerptOf(text, terms) });
  }
  return found;
}

function makeIndex(): MiniSearch<Entry> {
  const made = new MiniSearch<Entry>({
    fields: ["title", "heading", "also", "text"],
    storeFields: ["url", "page", "heading", "text"],
    processTerm: stem,
    searchOptions: {
      boost: { title: 4, heading: 3, also: 8 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  });
  for (const page of pageNames) made.addAll(entriesOf(page, made.documentCount));
  return made;
}

function entriesOf(page: string, before: number): Entry[] {
  const markdown = markdownOf(page);
  const title = pageTitle(page);
  return partsOf(markdown).map(({ anchor, heading, text }, at) => {
    const isTop = anchor === "";
    return {
      id: before + at,
      url: isTop ? pageUrl(page) : `${pageUrl(page)}#${anchor}`,
      page: title,
      heading: isTop ? "" : heading,
      title: isTop ? title : "",
      text,
      also: isTop ? searchWords(markdown) : "",
    };
  });
}

/** `keys`, `Key` → `key`; `streaming` → `stream`. Crude, and the same for both sides. */
function stem(word: string): string | null {
  const lower = word.toLowerCase();
  if (FILLERS.has(lower)) return null;
  if (lower.length > 5 && lower.endsWith("ing")) return lower.slice(0, -3);
  if (lower.length > 4 && lower.endsWith("ed")) return lower.slice(0, -2);
  return lower.length > 3 && lower.endsWith("s") && !lower.endsWith("ss")
    ? lower.slice(0, -1)
    : lower;
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const middle = places.length === 0 ? 0 : Math.min(...places);
  const start = middle < EXCERPT_CHARACTERS / 2 ? 0 : text.indexOf(" ", middle - 60) + 1;
  const rest = text.slice(start).trim();
  if (rest.length <= EXCERPT_CHARACTERS) return `${start > 0 ? "… " : ""}${rest}`;
  const part = rest.slice(0, rest.lastIndexOf(" ", EXCERPT_CHARACTERS));
  return `${start > 0 ? "… " : ""}${part} …`;
}
