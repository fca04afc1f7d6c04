// The docs as they are on disk: every page, and the code in it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lexer, type Token, type Tokens } from "marked";

export const root = join(import.meta.dirname, "../..");

/** Docs of the project itself, which are read in the repository and not served. */
const ofTheRepository = ["decisions/", "architecture.md", "words.md"];

export interface DiskPage {
  /** Below docs/, with `.md`. */
  file: string;
  markdown: string;
}

export function diskPages(): DiskPage[] {
  const folder = join(root, "docs");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .filter((file) => !ofTheRepository.some((start) => file.startsWith(start)))
    .sort()
    .map((file) => ({ file, markdown: readFileSync(join(folder, file), "utf8") }));
}

export interface CodeBlock {
  file: string;
  /** Which of the page's blocks, from 1. */
  number: number;
  language: string;
  text: string;
  /** Why no test runs it; null where one does. */
  notRun: string | null;
  /** The error that it shows on purpose. */
  answers: string | null;
}

export function codeBlocks({ file, markdown }: DiskPage): CodeBlock[] {
  return codesIn(lexer(markdown)).map(({ text, lang = "" }, at) => {
    const [language = ""] = lang.split(" ");
    return { file, number: at + 1, language, text, ...marksOf(lang) };
  });
}

/** In lists too. */
function codesIn(tokens: readonly Token[]): Tokens.Code[] {
  return tokens.flatMap((token) => {
    if (token.type === "code") return [token as Tokens.Code];
    if (token.type === "list") {
      return (token as Tokens.List).items.flatMap((item) => codesIn(item.tokens));
    }
    return [];
  });
}

function marksOf(info: string) {
  const mark = (name: string) => new RegExp(`${name}="([^"]+)"`).exec(info)?.[1] ?? null;
  return { notRun: mark("not-run"), answers: mark("answers") };
}
