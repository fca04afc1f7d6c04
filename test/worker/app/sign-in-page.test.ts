// The sign-in page, as the operator has configured it or not.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { app } from "../../../src/worker/app.ts";
import { ORIGIN } from "../calling.ts";
import { words } from "./visitor.ts";

const {
  OIDC_ISSUER: _,
  ACCESS_CONTACT: __,
  ...unconfigured
} = env as unknown as Record<string, unknown>;

/** By an app of this file's own, whose first request decides what it is configured with. */
function get(path: string): Promise<Response> | Response {
  const request = new Request(ORIGIN + path, { headers: { accept: "text/html" } });
  return app.fetch(request, unconfigured as never, createExecutionContext());
}

describe("where no provider is configured", () => {
  test("the sign-in page says so and offers no button", async () => {
    const page = await words(get("/sign-in"));
    expect(page).toContain("Sign-in is not configured");
    expect(page).toContain("Ask an Admin of this service");
    expect(await (await get("/sign-in")).text()).not.toContain("/sign-in/start");
  });

  test("nobody gets further, whatever they ask for", async () => {
    const start = await get("/sign-in/start");
    expect(start.status).toBe(503);
    expect(await words(start)).toContain("OIDC_ISSUER");
  });
});
