// Writes the files that come from the contract: docs/openapi.json, docs/reference/fields.md and
// errors.md. They are committed, so that a change of the contract shows in review; with --check it
// writes nothing and fails where a file differs from what the contract says.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import packageFile from "../package.json" with { type: "json" };
import { buildOpenApi } from "../src/contract/openapi.ts";
import { errorsPage, fieldsPage } from "./reference-pages.ts";

const root = join(import.meta.dirname, "..");
const files = {
  "docs/openapi.json": `${JSON.stringify(buildOpenApi(packageFile.version), null, 2)}\n`,
  "docs/reference/fields.md": fieldsPage(),
  "docs/reference/errors.md": errorsPage(),
};

const stale: string[] = [];
for (const [path, content] of Object.entries(files)) {
  const file = join(root, path);
  const current = await readFile(file, "utf8").catch(() => "");
  if (current === content) continue;
  stale.push(path);
  if (process.argv.includes("--check")) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  console.log(`wrote ${path}`);
}

if (stale.length > 0 && process.argv.includes("--check")) {
  console.error(`Differs from the contract: ${stale.join(", ")}. Run \`npm run generate\`.`);
  process.exitCode = 1;
}
