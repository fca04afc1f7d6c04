import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { bindings } from "./test/worker/bindings.ts";
import { buildIslands } from "./tools/islands.ts";

// The Worker imports them as text.
await buildIslands();

/** Each worker has a stack: much of these files' time is waiting, for a start or a browser. */
const stackWorkers = 2;

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
  // A stack starts in a second, and in many on a machine that is busy.
  hookTimeout: 60_000,
  maxWorkers: stackWorkers,
};

/** What hangs is found by this, on a busy host too; nothing is judged by its time. */
const testTimeout = 60_000;

// Three layers: pure decisions in Node, shells in workerd, and the whole stack from outside.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "core",
          include: ["test/{contract,core,bench,docs,islands}/**/*.test.ts"],
          testTimeout,
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
          testTimeout,
        },
      },
      {
        test: {
          name: "engine",
          include: ["test/{engine,infra}/**/*.test.ts"],
          globalSetup: ["test/engine/global-setup.ts"],
          testTimeout,
        },
      },
      {
        test: {
          name: "stack",
          include: ["test/e2e/**/*.test.ts"],
          exclude: pages,
          testTimeout,
          ...onStack,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "pages",
          include: pages,
          testTimeout,
          ...onStack,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
