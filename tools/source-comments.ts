// The comments of a source file by the name that stands below each, so that a bound's reason is
// written once, beside the bound, and shown on its page.

const NAMED = /^\s*(?:export const )?([A-Za-z_]\w*)(?::| =)/;

/** A comment counts for the name below it; of constants that stand together for all of them. */
export function commentsOf(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let comment: string[] = [];
  let isOpen = false;
  for (const line of source.split("\n")) {
    const text = line.trim();
    if (isComment(text)) {
      if (!isOpen) comment = [];
      isOpen = true;
      comment.push(text.replace(/^(\/\*\*|\*\/|\*|\/\/)\s?/, "").replace(/\s*\*\/$/, ""));
      continue;
    }
    isOpen = false;
    const name = NAMED.exec(line)?.[1];
    if (name !== undefined && comment.length > 0 && !found.has(name)) {
      found.set(name, comment.join(" ").trim());
    }
    if (!text.startsWith("export const ")) comment = [];
  }
  return found;
}

function isComment(text: string): boolean {
  return text.startsWith("/**") || text.startsWith("*") || text.startsWith("//");
}
