import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BUNDLE_MAX_BYTES,
  BUNDLE_MAX_GZIP_BYTES,
  checkSize,
} from "../../infra/cloudflare/bundle.ts";
import { emptyAccount, type Found, plan } from "../../infra/cloudflare/plan.ts";
import { checkSecrets, makeSecrets, secretKinds } from "../../infra/cloudflare/secrets.ts";
import type { Wanted } from "../../infra/cloudflare/wanted.ts";
import { problemOf } from "../../infra/cloudflare/wrangler.ts";
import { parseConfiguration } from "../../src/contract/configuration.ts";

const wanted: Wanted = {
  worker: "continuo",
  secrets: ["A", "B"],
  resources: [
    { kind: "R2 bucket", name: "jobs" },
    { kind: "queue", name: "jobs" },
  ],
};

const complete: Found = {
  secrets: ["A", "B", "ANOTHER"],
  resources: wanted.resources,
  build: "build-1",
};

describe("the plan", () => {
  test("is empty where all is there and this build runs", () => {
    expect(plan(wanted, "build-1", complete)).toEqual([]);
  });

  test("is everything in an empty account, what the Worker binds before the Worker", () => {
    expect(plan(wanted, "build-1", emptyAccount)).toEqual([
      { do: "create", resource: { kind: "R2 bucket", name: "jobs" } },
      { do: "create", resource: { kind: "queue", name: "jobs" } },
      { do: "deploy", build: "build-1", secrets: ["A", "B"] },
    ]);
  });

  test("tells a bucket from a queue of the same name", () => {
    const found = { ...complete, resources: [{ kind: "queue", name: "jobs" }] as const };
    expect(plan(wanted, "build-1", found)).toEqual([
      { do: "create", resource: { kind: "R2 bucket", name: "jobs" } },
    ]);
  });

  test("sends only the secrets that are missing, and with the code", () => {
    const found = { ...complete, secrets: ["A"] };
    expect(plan(wanted, "build-1", found)).toEqual([
      { do: "deploy", build: "build-1", secrets: ["B"] },
    ]);
  });

  test("deploys where another build runs, or nobody can say which", () => {
    for (const build of ["build-2", null]) {
      expect(plan(wanted, "build-1", { ...complete, build })).toHaveLength(1);
    }
  });

  test("leaves nothing to do once it was carried out, whatever was there", () => {
    const some = <T>(of: readonly T[]) => fc.subarray([...of]);
    const anyFound = fc.record({
      secrets: some(complete.secrets),
      resources: some(wanted.resources),
      build: fc.constantFrom(null, "build-1", "build-2"),
    });
    fc.assert(
      fc.property(anyFound, (found) => {
        const after: Found = { ...found };
        for (const step of plan(wanted, "build-1", found)) {
          if (step.do === "create") after.resources = [...after.resources, step.resource];
          else {
            after.build = step.build;
            after.secrets = [...after.secrets, ...step.secrets];
          }
        }
        expect(plan(wanted, "build-1", after)).toEqual([]);
      }),
    );
  });
});

describe("secrets", () => {
  const backends = JSON.stringify({ local: { url: "https://gpu.example.org", api_key: "k3y" } });

  test("that the rows make are all that the Worker needs to start", () => {
    const made = makeSecrets(Object.keys(secretKinds));
    expect(() => parseConfiguration({ ...made, BACKENDS: backends })).not.toThrow();
    checkSecrets({ ...made, BACKENDS: backends });
  });

  test("are never the same twice", () => {
    const names = Object.keys(secretKinds).filter((name) => secretKinds[name]?.make !== null);
    const values = [1, 2].flatMap(() => Object.values(makeSecrets(names)));
    expect(new Set(values).size).toBe(values.length);
  });

  test.each([
    ["{no json", "BACKENDS: is no JSON"],
    ['{"local":{"url":"ftp://x"}}', "BACKENDS.local.url"],
    ['{"local":{"url":"https://x.example","key":"k3y-of-a-backend"}}', "BACKENDS.local"],
    ['{"gpt-5":{"url":"https://x.example"}}', "no Model is called gpt-5"],
    [
      JSON.stringify({ local: { url: `https://x.example/${"x".repeat(6_000)}` } }),
      "BACKENDS is longer",
    ],
  ])("that are wrong are refused before anything is sent, and not quoted: %.30s", (value, why) => {
    const problem = (() => {
      try {
        checkSecrets({ BACKENDS: value });
        return "none";
      } catch (failure) {
        return String(failure);
      }
    })();
    expect(problem).toContain(why);
    expect(problem).not.toContain("k3y-of-a-backend");
  });
});

describe("what wrangler says of a failure becomes one sentence", () => {
  const sentence = (stderr: string) =>
    problemOf(["r2", "bucket", "create", "jobs"], { ok: false, stdout: "", said: stderr }).message;

  test("with the API's own reason", () => {
    const said = `✘ [ERROR] A request to the Cloudflare API (/accounts/1234/r2/buckets) failed.

  Please enable R2 through the Cloudflare Dashboard. [code: 10042]`;
    expect(sentence(said)).toBe(
      "`wrangler r2 bucket create jobs` failed: Please enable R2 through the Cloudflare Dashboard. " +
        "[code: 10042]. Mend that and run this again; what is done stays.",
    );
  });

  test("with wrangler's own, where no API was asked", () => {
    expect(sentence("✘ [ERROR] The entry point was not found.\n\n")).toContain(
      "failed: The entry point was not found.",
    );
    expect(sentence("")).toContain("it did not say why");
  });

  test("with what to do about a login", () => {
    const said = "✘ [ERROR] A request failed.\n  Authentication error [code: 10000]";
    expect(sentence(said)).toContain("npx wrangler login");
    expect(sentence("✘ [ERROR] More than one account available")).toContain(
      "CLOUDFLARE_ACCOUNT_ID",
    );
  });
});

test("a bundle above either limit is refused, one at both is not", () => {
  const most = { build: "b", bytes: BUNDLE_MAX_BYTES, gzipBytes: BUNDLE_MAX_GZIP_BYTES };
  checkSize(most);
  expect(() => checkSize({ ...most, bytes: most.bytes + 1 })).toThrow("too large");
  expect(() => checkSize({ ...most, gzipBytes: most.gzipBytes + 1 })).toThrow("too large");
});
