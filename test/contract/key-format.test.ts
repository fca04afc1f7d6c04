import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KEY_PATTERN, withoutKeys } from "../../src/contract/key-format.ts";

const key = `ctn_${"0123456789abcdef"}_${"h".repeat(40)}`;

test("the pattern that operators register is the one of the code", () => {
  const page = readFileSync("docs/operate/leaked-keys.md", "utf8");
  expect(page).toContain(`\`${KEY_PATTERN}\``);
});

test("text loses the keys in it, and nothing else", () => {
  expect(withoutKeys(`a ${key}, "${key}" and ctn_ alone`)).toBe('a ctn_…, "ctn_…" and ctn_ alone');
});
