// The smoke test of `npm run deploy`, against the whole service.
import { expect, inject, test } from "vitest";
import { smokeTest } from "../../infra/cloudflare/smoke.ts";
import { newPerson } from "./person.ts";

const stack = inject("stack");
const address = stack.api.replace(/\/v1$/, "");

test("a deployment that is as it should be passes, with a person's key and without one", async () => {
  const person = await newPerson(stack, { tokens: 1 });
  const lines: string[] = [];
  await smokeTest(address, person.key, (line) => lines.push(line));
  await smokeTest(address, null, (line) => lines.push(line));
  expect(lines).toHaveLength(7);
  expect(lines.every((line) => line.startsWith("  ok  "))).toBe(true);
});

test("a key of another deployment is told apart", async () => {
  const other = `ctn_${"b".repeat(64)}`;
  await expect(smokeTest(address, other, () => undefined)).rejects.toThrow("CONTINUO_API_KEY");
});
