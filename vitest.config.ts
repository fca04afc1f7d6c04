import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { bindings } from "./test/worker/bindings.ts";
import { buildIslands } from "./tools/islands.ts";

// The Worker imports them as text.
await buildIslands();

// Hundreds of programs are started that read the same TypeScript: kept compiled, each starts in half the
// time. An absolute path, for some start in a folder of their own.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/node");

/** For every project. What hangs is found by the times, on a busy host too; nothing is judged by them. */
const common = {
  // Also on two cores, where Vitest's own default is one: much of the tests' time is waiting.
  maxWorkers: 2,
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/** Every page by eye of a browser, and every code block as printed: minutes, by `npm run test:pages`. */
const pages = [
  ...["admin", "docs", "jobs", "keyboard", "member"].map((of) => `test/e2e/${of}-pages`),
  ...["webhooks", "workbench*", "loom*", "compare*", "docs-code", "run-a-job-docs"].map(
    (of) => `test/e2e/${of}`,
  ),
].map((file) => `${file}.test.ts`);

const onStack = {
  globalSetup: ["test/e2e/global-setup.ts"],
  setupFiles: ["test/e2e/own-stack.ts"],
};

// Three layers: pure decisions in Node, shells in workerd, and the whole stack from outside.
// `isolate: false`: a process a file costs more than most files, and these share nothing that changes.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "core",
          include: ["test/{contract,core,bench,docs,islands}/**/*.test.ts"],
          isolate: false,
          ...common,
        },
      },
      {
        // As in tsconfig.json, which Vite reads for none of the files: its own list is empty.
        oxc: { jsx: { runtime: "automatic", importSource: "hono/jsx" } },
        plugins: [
          cloudflareTest(({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: bindings({
                backendUrl: inject("backendUrl"),
                sleepingUrl: inject("sleepingUrl"),
                openidUrl: inject("openidUrl"),
                githubUrl: inject("githubUrl"),
              }),
            },
          })),
        ],
        test: {
          name: "worker",
          include: ["test/{worker,durable-objects}/**/*.test.ts"],
          globalSetup: ["test/upstream/global-setup.ts"],
          setupFiles: ["test/worker/clean-isolate.ts"],
          isolate: false,
          ...common,
        },
      },
      {
        test: {
          name: "engine",
          include: ["test/{engine,infra}/**/*.test.ts"],
          globalSetup: ["test/engine/global-setup.ts"],
          isolate: false,
          ...common,
        },
      },
      {
        test: {
          name: "stack",
          include: ["test/e2e/**/*.test.ts"],
          exclude: pages,
          ...onStack,
          ...common,
        },
      },
      {
        test: {
          name: "pages",
          include: pages,
          ...onStack,
          ...common,
        },
      },
    ],
  },
});
