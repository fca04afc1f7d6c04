// docs/README.md, the overview of the docs, and the imports that put each page into the Worker.
import { contents, OVERVIEW } from "../../src/worker/docs/contents.ts";
import { firstSentence, titleOf } from "../../src/worker/docs/doc-text.ts";

export function overviewPage(read: (file: string) => string): string {
  const sections = contents.map(({ title, pages }) => {
    const lines = pages.map((page) => {
      const markdown = read(`docs/${page}.md`);
      return `- [${titleOf(markdown)}](${page}.md): ${firstSentence(markdown)}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `<!-- Generated from src/worker/docs/contents.ts by \`npm run generate\`; edit that, not this page. -->

# Docs

Continuo is an inference API for base models, which continue text. New here? Begin with the
[Quickstart](start/quickstart.md). All of this as [one page of text](http://127.0.0.1:8787/llms.txt).

${sections.join("\n")}`;
}

/** `src/worker/docs/texts.ts`: bundlers want to see each import written out. */
export function textsModule(): string {
  const names = [OVERVIEW, ...contents.flatMap(({ pages }) => pages)];
  const variable = (name: string) =>
    name
      .replaceAll(/[^a-z]+(.)/gi, (_, next: string) => next.toUpperCase())
      .replace(/^README$/, "overview");
  const imports = names
    .map((name) => `import ${variable(name)} from "../../../docs/${name}.md";`)
    .sort((one, other) => (path(one).toLowerCase() < path(other).toLowerCase() ? -1 : 1));
  const entries = names.map((name) => {
    return `  ${/[^a-z]/i.test(name) ? JSON.stringify(name) : name}: ${variable(name)},`;
  });
  return `// Generated from contents.ts by \`npm run generate\`: the Markdown of each page, by its name.
${imports.join("\n")}

export const texts: Readonly<Record<string, string>> = {
${entries.join("\n")}
};
`;
}

const path = (line: string) => /"(.+)"/.exec(line)?.[1] ?? "";
