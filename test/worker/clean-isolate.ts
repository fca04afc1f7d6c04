// Runs before each file. They share a workerd, which takes seconds to start and to load the Worker: each
// leaves it without objects, stored bytes and what modules remember, as if it had had one of its own.
import { reset } from "cloudflare:test";
import { afterAll, vi } from "vitest";

afterAll(async () => {
  vi.useRealTimers();
  await reset();
  vi.resetModules();
});
