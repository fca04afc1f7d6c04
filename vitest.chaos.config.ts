import { defineConfig } from "vitest/config";

// Processes are killed here, so it is a command of its own: `npm run chaos`.
export default defineConfig({
  test: {
    name: "chaos",
    include: ["test/chaos/**/*.test.ts"],
    globalSetup: ["test/chaos/global-setup.ts"],
    // What hangs is found by these, on a busy machine too; nothing is judged by its time.
    testTimeout: 180_000,
    hookTimeout: 150_000,
    fileParallelism: false,
  },
});
