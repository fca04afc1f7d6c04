import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({
  root: "/work/main",
  plugins: [cloudflareTest({ wrangler: { configPath: "/work/main/wrangler.toml" } })],
  test: {
    name: "fwd",
    include: ["test/worker/forward/**/*.test.ts"],
    globalSetup: ["test/worker/forward/zz-setup.ts"],
  },
});
