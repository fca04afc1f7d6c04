import { describe, expect, test } from "vitest";
import { agentWords } from "../../../src/worker/app/sign-in/agent.ts";
import { returnPath } from "../../../src/worker/app/sign-in/return-path.ts";

const origin = "https://continuo.test";

describe("after signing in a person goes", () => {
  test.each([
    "/",
    "/keys",
    "/usage?days=7&by=key",
    "/admin/people/a%20b",
    "/?a=https://example.org",
  ])("to %s as they wanted", (path) => expect(returnPath(path, origin)).toBe(path));

  test.each([
    undefined,
    "",
    "keys",
    "https://elsewhere.example.org/",
    "//elsewhere.example.org/",
    "/\\elsewhere.example.org",
    "/\t/elsewhere.example.org",
    "/.//elsewhere.example.org",
    "/a/..//elsewhere.example.org",
    "javascript:alert(1)",
    "/sign-in?to=/sign-in",
    "/sign-out",
    `/${"a".repeat(1_000)}`,
  ])("Home rather than to %j", (path) => expect(returnPath(path, origin)).toBe("/"));
});

describe("a browser is called", () => {
  const mozilla = "Mozilla/5.0 (X11; Linux x86_64)";
  const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15";
  test.each([
    ["Firefox on Linux", `${mozilla.replace(")", "; rv:140.0)")} Gecko/20100101 Firefox/140.0`],
    ["Chrome on Linux", `${mozilla} AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36`],
    ["Edge on Linux", `${mozilla} AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0`],
    ["Safari on macOS", `${mac} (KHTML, like Gecko) Version/18.0 Safari/605.1.15`],
    ["Safari on iOS", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1"],
    ["Unknown browser", "curl/8.0"],
    ["Unknown browser", undefined],
  ])("%s", (words, userAgent) => expect(agentWords(userAgent)).toBe(words));
});
