import { createExecutionContext } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { parseConfiguration } from "../../src/contract/configuration.ts";
import { HOLD_LEASE_MS, HOLD_RENEW_MS, SPEND_LIMIT_USD } from "../../src/contract/limits.ts";
import { app } from "../../src/worker/app.ts";
import { servicesOf } from "../../src/worker/environment.ts";
import { bindings } from "./bindings.ts";
import { errorOf } from "./calling.ts";

const right = bindings({
  backendUrl: "http://127.0.0.1:8000/",
  sleepingUrl: "http://127.0.0.1:8001",
  openidUrl: "http://127.0.0.1:8002",
  githubUrl: "http://127.0.0.1:8003",
});

function backend(change: object): { BACKENDS: string } {
  return { BACKENDS: JSON.stringify({ local: { url: "http://127.0.0.1:8000", ...change } }) };
}

describe("the configuration", () => {
  test("is read from what is right, with defaults for what is absent", () => {
    const { HOLD_RENEW_MS: _, OPERATOR_KEY: __, REPORT_SECRETS: ___, ...least } = right;
    const parsed = parseConfiguration(least);
    expect(parsed).toMatchObject({ HOLD_LEASE_MS, HOLD_RENEW_MS, SPEND_LIMIT_USD });
    expect(parsed.REPORT_SECRETS).toEqual([]);
    expect(parsed.OPERATOR_KEY).toBeUndefined();
    expect(parsed.KEY_CHECK_SECRETS).toHaveLength(2);
  });

  test.each([
    "https://provider.example.org/tenant",
    "http://127.0.0.1:8788",
    "http://[::1]:8788",
    "http://localhost:8788",
  ])("takes the issuer %s", (OIDC_ISSUER) => {
    expect(parseConfiguration({ ...right, OIDC_ISSUER }).OIDC_ISSUER).toBe(OIDC_ISSUER);
  });

  test("takes the App's address as an origin, and the first Admin's address in lower case", () => {
    const own = {
      APP_URL: "https://Continuo.example.org:443/",
      FIRST_ADMIN_EMAIL: "A@Example.org",
    };
    expect(parseConfiguration({ ...right, ...own })).toMatchObject({
      ...{ APP_URL: "https://continuo.example.org", FIRST_ADMIN_EMAIL: "a@example.org" },
    });
  });

  test.each([
    ["KEY_CHECK_SECRETS", { KEY_CHECK_SECRETS: undefined }],
    ["KEY_CHECK_SECRETS.0", { KEY_CHECK_SECRETS: "" }],
    ["KEY_CHECK_SECRETS.0", { KEY_CHECK_SECRETS: "short" }],
    ["KEY_CHECK_SECRETS.1", { KEY_CHECK_SECRETS: `${"a".repeat(32)},short` }],
    ["CACHE_SALT_SECRET", { CACHE_SALT_SECRET: undefined }],
    ["CACHE_SALT_SECRET", { CACHE_SALT_SECRET: "a".repeat(31) }],
    ["OPERATOR_KEY", { OPERATOR_KEY: "short" }],
    ["OPERATOR_KEY", { OPERATOR_KEY: "" }],
    ["WEBHOOK_SECRETS.1", { WEBHOOK_SECRETS: `whsec_${"a".repeat(32)},whsec_short` }],
    ["WORKOS_WEBHOOK_SECRETS.0", { WORKOS_WEBHOOK_SECRETS: "short" }],
    ["GITHUB_KEYS_URL", { GITHUB_KEYS_URL: "github" }],
    ["UPSTASH_REDIS_REST_TOKEN", { UPSTASH_REDIS_REST_URL: "https://redis.example.org" }],
    ["UPSTASH_REDIS_REST_TOKEN", { UPSTASH_REDIS_REST_TOKEN: "a token without an address" }],
    ["BACKENDS", { BACKENDS: undefined }],
    ["BACKENDS", { BACKENDS: "{" }],
    ["BACKENDS", { BACKENDS: "[]" }],
    ["BACKENDS.local", { BACKENDS: '{"local": "http://127.0.0.1"}' }],
    ["BACKENDS.local.url", { BACKENDS: '{"local": {}}' }],
    ["BACKENDS.local.url", backend({ url: "127.0.0.1:8000" })],
    ["BACKENDS.local.url", backend({ url: "ftp://127.0.0.1" })],
    ["BACKENDS.local.api_key", backend({ api_key: "" })],
    ["BACKENDS.local.served_name", backend({ served_name: 1 })],
    ["BACKENDS.local.headers.x", backend({ headers: { x: 1 } })],
    ["BACKENDS.local", backend({ nonsense: 1 })],
    ["SPEND_LIMIT_USD", { SPEND_LIMIT_USD: "" }],
    ["SPEND_LIMIT_USD", { SPEND_LIMIT_USD: "-1" }],
    ["SPEND_LIMIT_USD", { SPEND_LIMIT_USD: "$500" }],
    ["SPEND_LIMIT_USD", { SPEND_LIMIT_USD: "99999999" }],
    ["REPORT_SECRETS.0", { REPORT_SECRETS: "" }],
    ["REPORT_SECRETS.1", { REPORT_SECRETS: `${right.REPORT_SECRETS?.split(",")[0]},whsec_short` }],
    ["WEBHOOK_SECRETS.0", { WEBHOOK_SECRETS: `whsec_${"a".repeat(33)}` }],
    ["WEBHOOK_SECRETS.0", { WEBHOOK_SECRETS: `whsec_${"a".repeat(33)}=` }],
    ["OIDC_ISSUER", { OIDC_ISSUER: "provider.example.org" }],
    ["OIDC_ISSUER", { OIDC_ISSUER: "http://provider.example.org" }],
    ["OIDC_ISSUER", { OIDC_ISSUER: "http://127.0.0.1.example.org" }],
    ["OIDC_CLIENT_ID", { OIDC_CLIENT_ID: undefined }],
    ["OIDC_CLIENT_SECRET", { OIDC_CLIENT_SECRET: "" }],
    ["FIRST_ADMIN_EMAIL", { FIRST_ADMIN_EMAIL: "admin" }],
    ["APP_URL", { APP_URL: "continuo.example.org" }],
    ["APP_URL", { APP_URL: "https://continuo.example.org/app" }],
    ["ACCESS_CONTACT", { ACCESS_CONTACT: "" }],
    ["HOLD_LEASE_MS", { HOLD_LEASE_MS: "soon" }],
    ["HOLD_LEASE_MS", { HOLD_LEASE_MS: "0" }],
    ["HOLD_RENEW_MS", { HOLD_RENEW_MS: "1.5" }],
    ["HOLD_RENEW_MS", { HOLD_LEASE_MS: "1000", HOLD_RENEW_MS: "334" }],
  ])("fails by the name of %s for %j", (name, wrong) => {
    const env = { ...right, ...wrong };
    expect(() => parseConfiguration(env)).toThrow(new RegExp(`^configuration: (.*; )?${name}:`));
    expect(() => servicesOf(env)).toThrow(name);
  });

  test("names all that is wrong, and no secret", () => {
    const secrets = { CACHE_SALT_SECRET: "hush", OPERATOR_KEY: "quiet", REPORT_SECRETS: "silent" };
    const wrong = { ...right, ...secrets, ...backend({ api_key: 5, url: "hidden" }) };
    const message = messageOf(() => parseConfiguration(wrong));
    for (const name of ["CACHE_SALT_SECRET", "OPERATOR_KEY", "BACKENDS.local.url"]) {
      expect(message).toContain(name);
    }
    for (const secret of ["hush", "quiet", "silent", "hidden"])
      expect(message).not.toContain(secret);
  });

  test("fails for a backend of a Model that is not in the catalogue", () => {
    const env = { ...right, BACKENDS: '{"other": {"url": "http://127.0.0.1"}}' };
    expect(() => servicesOf(env)).toThrow("BACKENDS: no Model is called other");
  });

  test("that is wrong is answered with 500 and a request id, and told in the log alone", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const wrong = { ...right, CACHE_SALT_SECRET: "hush" };
    const response = await app.request("/v1/account", {}, wrong, createExecutionContext());
    const error = await errorOf(response);
    expect(error).toMatchObject({ status: 500, code: "internal_error" });
    expect(error.message).not.toContain("CACHE_SALT_SECRET");
    expect(JSON.stringify(log.mock.calls)).toContain("CACHE_SALT_SECRET");
    expect(JSON.stringify(log.mock.calls)).not.toContain("hush");
    log.mockRestore();
  });

  test("is parsed once, when it is right", () => {
    const services = servicesOf(right);
    expect(servicesOf({})).toBe(services);
    expect(services.models.get("local")?.backend).toMatchObject({
      ...{ url: "http://127.0.0.1:8000", servedName: "served", binding: null },
      credentials: { authorization: "Bearer the backend's key" },
    });
  });
});

function messageOf(throwing: () => void): string {
  try {
    throwing();
  } catch (failure) {
    return String(failure);
  }
  throw new Error("nothing was thrown");
}
