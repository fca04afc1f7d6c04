// Writes the files that come from the contract: docs/openapi.json, the reference pages, the overview
// of the docs and their imports, and the numbers in the pages that are written by hand. They are
// committed, so that a change of the contract shows in review; with --check it writes nothing and
// fails where a file differs from what the contract says.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import catalogueFile from "../infra/models.json" with { type: "json" };
import packageFile from "../package.json" with { type: "json" };
import { parseCatalogue } from "../src/contract/catalogue.ts";
import { buildOpenApi } from "../src/contract/openapi.ts";
import { contents } from "../src/worker/docs/contents.ts";
import { insertNumbers } from "./inserted-numbers.ts";
import { configurationPage } from "./pages/configuration-page.ts";
import { errorsPage } from "./pages/errors-page.ts";
import { fieldsPage } from "./pages/fields-page.ts";
import { headersPage } from "./pages/headers-page.ts";
import { limitsPage } from "./pages/limits-page.ts";
import { modelsPage } from "./pages/models-page.ts";

import { overviewPage, textsModule } from "./pages/overview-page.ts";
import { jobsPage, type OpenApiDocument, openapiPage, webhooksPage } from "./pages/routes-pages.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const models = parseCatalogue(catalogueFile);

const openapi = buildOpenApi(packageFile.version);
const document = openapi as unknown as OpenApiDocument;

const written: Readonly<Record<string, string>> = {
  "docs/openapi.json": `${JSON.stringify(openapi, null, 2)}\n`,
  "docs/reference/fields.md": fieldsPage(),
  "docs/reference/errors.md": errorsPage(),
  "docs/reference/headers.md": headersPage(),
  "docs/reference/limits.md": limitsPage(read),
  "docs/reference/models.md": modelsPage([...models.values()], read),
  "docs/reference/openapi.md": openapiPage(document),
  "docs/reference/jobs.md": jobsPage(document),
  "docs/reference/webhooks.md": webhooksPage(document),
  "docs/operate/configuration.md": configurationPage(read),
  "src/worker/docs/texts.ts": textsModule(),
};

const byHand = contents
  .flatMap(({ pages }) => pages.map((page) => `docs/${page}.md`))
  .filter((path) => !Object.hasOwn(written, path));
const inserted = byHand.map((path) => [path, insertNumbers(read(path), models)] as const);
const files = new Map([...Object.entries(written), ...inserted]);
files.set(
  "docs/README.md",
  overviewPage((path) => files.get(path) ?? read(path)),
);

const isCheck = process.argv.includes("--check");
const stale = [...files].filter(([path, content]) => current(path) !== content);
for (const [path, content] of isCheck ? [] : stale) {
  writeFileSync(join(root, path), content);
  console.log(`wrote ${path}`);
}
if (isCheck && stale.length > 0) {
  const paths = stale.map(([path]) => path).join(", ");
  console.error(`Differs from the contract: ${paths}. Run \`npm run generate\`.`);
  process.exitCode = 1;
}

function current(path: string): string {
  try {
    return read(path);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw failure;
  }
}
