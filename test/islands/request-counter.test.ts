import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiClient } from "../../src/islands/api/client.ts";
import { Counter } from "../../src/islands/request/counter.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A person whose Account says what is left, and the paths that were asked for. */
function counted(available: number) {
  const asked: string[] = [];
  const head = { seed: null, available: null, lowered: null };
  const api = {
    get: async (path: string) => {
      asked.push(path);
      return [{ tokens: { available } }, head];
    },
  } as unknown as ApiClient;
  const line = { textContent: "Write.", classList: { remove() {}, toggle() {} } };
  return { asked, line, counter: new Counter(api, line as unknown as HTMLElement) };
}

test("after a request has ended the count is of what is left without its Hold", async () => {
  const { asked, line, counter } = counted(960);
  const count = async () => {
    counter.soon(() => [{ model: "local", prompt: [1, 2], most: 8 }]);
    await vi.advanceTimersByTimeAsync(1_000);
  };
  counter.left(800);
  await count();
  expect(line.textContent).toContain("costs at most 10 of your 800.");
  counter.ran();
  await count();
  expect(line.textContent).toContain("costs at most 10 of your 960.");
  await count();
  expect(asked).toEqual(["/v1/account"]);
});
