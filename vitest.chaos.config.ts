import { defineConfig } from "vitest/config";

// Processes are killed here, so it is a command of its own: `npm run chaos`.
export default defineConfig({
  test: {
    name: "chaos",
    include: ["test/chaos/**/*.test.ts"],
    globalSetup: ["test/chaos/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    fileParallelism: false,
  },
});
