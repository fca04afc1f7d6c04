// Builds the Worker as it is deployed, into dist/. With `--if-stale`, only when a source is newer.
// A wrong catalogue fails here, by the entry and the field, rather than in the first request.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseCatalogue } from "../src/contract/catalogue.ts";
import { buildIslands } from "./islands.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = join(root, "dist/main.js");
const sources = ["src", "docs", "infra/models.json", "wrangler.toml", "package-lock.json"];

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).map((name) => newest(join(path, name)));
  return Math.max(stat.mtimeMs, ...inside);
}

function isStale(): boolean {
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  return sources.some((source) => newest(join(root, source)) > builtAt);
}

function checkCatalogue(): void {
  try {
    parseCatalogue(JSON.parse(readFileSync(join(root, "infra/models.json"), "utf8")));
  } catch (error) {
    process.stderr.write(`build: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

if (!process.argv.includes("--if-stale") || isStale()) {
  checkCatalogue();
  await buildIslands();
  const { status, stdout, stderr } = spawnSync(
    join(root, "node_modules/.bin/wrangler"),
    ["deploy", "--dry-run", "--outdir", "dist"],
    {
      cwd: root,
      encoding: "utf8",
      env: {
        ...process.env,
        CI: "1",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_HIDE_BANNER: "true",
      },
    },
  );
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
  process.exitCode = status ?? 1;
}
