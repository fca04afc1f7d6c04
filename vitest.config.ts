import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { bindings } from "./test/worker/bindings.ts";
import { buildIslands } from "./tools/islands.ts";

// The Worker imports them as text.
await buildIslands();

/** Also on two cores, where Vitest's own default is one: much of the tests' time is waiting. */
const maxWorkers = 2;

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
          maxWorkers,
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
          maxWorkers,
        },
      },
      {
        test: {
          name: "engine",
          include: ["test/{engine,infra}/**/*.test.ts"],
          globalSetup: ["test/engine/global-setup.ts"],
          testTimeout,
          maxWorkers,
        },
      },
      {
        test: {
          name: "stack",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          setupFiles: ["test/e2e/own-stack.ts"],
          testTimeout,
          // A stack starts in a second, and in many on a machine that is busy.
          hookTimeout: 60_000,
          // Each worker has a stack; what is measured in these files is not measured beside others.
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
