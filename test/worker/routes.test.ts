// Walks the table of routes: what is mounted, and who gets in.
import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { type Route, routes, unsupportedPaths } from "../../src/contract/routes.ts";
import { accountOf } from "../../src/durable-objects/objects.ts";
import { appPaths } from "../../src/worker/app/guard.ts";
import { app } from "../../src/worker/app.ts";
import { KeyMint, newAccountId } from "../../src/worker/auth/api-key.ts";
import { keyCheckSecrets, operatorKey } from "./bindings.ts";
import { admin, call, errorOf, newPerson, ORIGIN, read } from "./calling.ts";

const guarded = routes.filter(({ access }) => access === "account" || access === "admin");
const adminRoutes = routes.filter(({ access }) => access === "admin");

function title({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Every route with an id that does not exist, and a body that is none of its. */
function ask({ method, path }: Route, key: string | null, headers = {}): Promise<Response> {
  const body = method === "GET" ? undefined : { nonsense: true };
  return call(path.replace("{id}", "nothing"), { method, key, body, headers });
}

/** Pages: they have tests of their own. */
function isOfApp(path: string): boolean {
  return appPaths.some((pattern) => {
    const folder = pattern.replace(/\/\*$/, "");
    return path === folder || (folder !== pattern && path.startsWith(`${folder}/`));
  });
}

async function mintedForNobody(): Promise<string> {
  return (await new KeyMint(keyCheckSecrets).mint(newAccountId())).key;
}

describe("the table of routes", () => {
  test("names every route that is mounted, but for pages and the refusals of chat", () => {
    const named = routes.map(({ method, path }) => `${method} ${path}`);
    const mounted = app.routes
      .filter(({ method }) => !["ALL", "OPTIONS"].includes(method))
      .filter(({ path }) => !isOfApp(path))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect(mounted.sort()).toEqual(named.sort());
    const all = app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path);
    const ownPaths = all.filter((path) => !path.endsWith("*") && !isOfApp(path));
    expect(ownPaths.sort()).toEqual([...unsupportedPaths].sort());
  });

  test.each(routes.map((route) => [title(route), route] as const))(
    "%s exists",
    async (_, route) => {
      const response = await ask(route, operatorKey);
      expect(response.status).not.toBe(405);
      if (response.status === 404) {
        expect(await response.text()).not.toContain("There is no such route");
      }
    },
  );
});

describe("a route that needs a key", () => {
  test.each(guarded.map((route) => [title(route), route] as const))(
    "%s refuses no key, another scheme, a made-up key, and one of no Account",
    async (_, route) => {
      const refused = { status: 401, code: "invalid_api_key" };
      expect(await errorOf(ask(route, null))).toMatchObject(refused);
      const { key } = await newPerson({ tokens: 0 });
      const basic = { method: route.method, headers: { authorization: `Basic ${key}` } };
      const path = route.path.replace("{id}", "nothing");
      expect(await errorOf(call(path, basic))).toMatchObject(refused);
      const cutOff = key.slice(0, -1);
      const mistyped = `${cutOff}${key.endsWith("0") ? "1" : "0"}`;
      for (const made of ["x", "sk-123", cutOff, mistyped, await mintedForNobody()]) {
        const error = await errorOf(ask(route, made));
        expect(error).toMatchObject(refused);
        expect(error.message).not.toContain(made === "x" ? "\u0000" : made);
      }
    },
  );

  test.each(guarded.map((route) => [title(route), route] as const))(
    "%s refuses a revoked key, an expired one, and a disabled person",
    async (_, route) => {
      const role = route.access === "admin" ? ("admin" as const) : ("member" as const);
      const scope = route.access === "admin" ? ("admin" as const) : ("completions" as const);
      const person = await newPerson({ tokens: 0, role, scope });
      const keys = `/people/${person.id}/keys`;
      const minting = admin("POST", keys, { name: "expired", scope });
      const expired = await read<{ id: string; key: string }>(minting);
      // Not by the API, which takes no expiry that has passed.
      await accountOf(env, person.id).changeKey(expired.id, { expiresAt: Date.now() });
      expect(await errorOf(ask(route, expired.key))).toMatchObject({ status: 401 });
      await read(admin("PATCH", `/people/${person.id}`, { disabled: true }));
      const disabled = { status: 403, code: "account_disabled" };
      expect(await errorOf(ask(route, person.key))).toMatchObject(disabled);
      await read(admin("PATCH", `/people/${person.id}`, { disabled: false }));
      await read(admin("POST", `/keys/${person.keyId}/revoke`, { reason: "leaked" }));
      const error = await errorOf(ask(route, person.key));
      expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
      expect(error.message).toContain("leaked");
    },
  );

  test("wakes no object for a key that was never minted", async () => {
    const before = await listDurableObjectIds(env.ACCOUNT);
    for (const route of guarded) await ask(route, `ctn_${"a".repeat(16)}_${"b".repeat(40)}`);
    expect(await listDurableObjectIds(env.ACCOUNT)).toEqual(before);
  });
});

describe("a route of the admin API", () => {
  test.each(adminRoutes.map((route) => [title(route), route] as const))(
    "%s refuses a member, an Admin's ordinary key, and who is no Admin any more",
    async (_, route) => {
      const refused = { status: 403, code: "admin_required" };
      const member = await newPerson({ tokens: 0 });
      expect(await errorOf(ask(route, member.key))).toMatchObject(refused);
      const scoped = await newPerson({ tokens: 0, scope: "admin" });
      expect(await errorOf(ask(route, scoped.key))).toMatchObject(refused);
      const ordinary = await newPerson({ tokens: 0, role: "admin" });
      expect(await errorOf(ask(route, ordinary.key))).toMatchObject(refused);
      const former = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
      expect((await call("/v1/admin/people", { key: former.key })).status).toBe(200);
      await read(admin("PATCH", `/people/${former.id}`, { role: "member" }));
      expect(await errorOf(ask(route, former.key))).toMatchObject(refused);
    },
  );

  test("takes the operator's key, and nothing that is only like it", async () => {
    expect((await call("/v1/admin/people", { key: operatorKey })).status).toBe(200);
    for (const key of [operatorKey.slice(0, -1), `${operatorKey}x`, operatorKey.toUpperCase()]) {
      expect(await errorOf(call("/v1/admin/people", { key }))).toMatchObject({ status: 401 });
    }
  });

  test("is no way in to the other routes for the operator's key", async () => {
    expect(await errorOf(call("/v1/account", { key: operatorKey }))).toMatchObject({ status: 401 });
  });
});

describe("OPTIONS", () => {
  test.each([...new Set(routes.map(({ path }) => path))])(
    "of %s names its methods, whoever asks",
    async (path) => {
      const response = await call(path.replace("{id}", "nothing"), { method: "OPTIONS" });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      const own = routes.filter((route) => route.path === path).map(({ method }) => method);
      expect(response.headers.get("allow")).toBe(own.join(", "));
      expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    },
  );

  test("of a page, and of a call that base models cannot serve, names the method", async () => {
    expect((await call("/", { method: "OPTIONS" })).headers.get("allow")).toBe("GET");
    for (const path of ["/docs/reference/errors", "/docs/reference/fields.md"]) {
      const response = await call(path, { method: "OPTIONS" });
      expect([response.status, response.headers.get("allow")]).toEqual([204, "GET"]);
      const post = call(path, { method: "POST", headers: { origin: ORIGIN } });
      expect(await errorOf(post)).toMatchObject({ status: 405 });
    }
    for (const path of unsupportedPaths) {
      const response = await call(path, { method: "OPTIONS" });
      expect([response.status, response.headers.get("allow")]).toEqual([204, "POST"]);
    }
  });

  test("of what is not there is a JSON 404", async () => {
    for (const path of ["/nothing", "/docs/nothing", "/v1", "/v1/nothing"]) {
      const error = await errorOf(call(path, { method: "OPTIONS" }));
      expect(error).toMatchObject({ status: 404, code: "not_found" });
    }
  });
});

describe("what is no route", () => {
  test("is answered in JSON, also outside of the API", async () => {
    for (const path of [
      "/nothing",
      "/v1",
      "/v1/nothing",
      "/v1/completions/x",
      "/v1/admin/people/a/b/c",
    ]) {
      expect(await errorOf(call(path))).toMatchObject({ status: 404, code: "not_found" });
    }
  });

  test("as a method of a route names those that are", async () => {
    const response = await call("/v1/completions", { method: "DELETE" });
    expect(response.headers.get("allow")).toBe("POST");
    expect(await errorOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
    const people = await call("/v1/admin/people", { method: "PUT" });
    expect(people.headers.get("allow")).toBe("GET, POST");
    expect((await call("/v1/models/a/b", { method: "POST" })).headers.get("allow")).toBe("GET");
  });

  test.each(unsupportedPaths)("%s says which call to use instead", async (path) => {
    const error = await errorOf(call(path, { method: "POST", body: { messages: [] } }));
    expect(error).toMatchObject({ status: 400, code: "chat_unsupported" });
    expect(error.message).toContain(`${ORIGIN}/v1/completions`);
  });
});

describe("a browser", () => {
  const fromPage = { origin: "https://tool.example.org" };

  test("may ask for what is not there, and read that it is not", async () => {
    const headers = { ...fromPage, "access-control-request-method": "GET" };
    const preflight = await call("/v1/nothing", { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("allow")).toBeNull();
    const answer = await call("/v1/nothing", { headers: fromPage });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("alone is told what its pages may read", async () => {
    const answer = await call("/v1/nothing");
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-"))).toEqual([]);
  });

  test.each(guarded.map((route) => [title(route), route] as const))(
    "may call %s from any page, and read every header",
    async (_, route) => {
      const path = route.path.replace("{id}", "nothing");
      const headers = {
        ...fromPage,
        "access-control-request-method": route.method,
        "access-control-request-headers": "authorization,content-type,x-stainless-os",
      };
      const preflight = await call(path, { method: "OPTIONS", headers });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
      expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
      expect(preflight.headers.get("access-control-allow-methods")).toContain(route.method);
      const answer = await ask(route, null, fromPage);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const exposed = answer.headers.get("access-control-expose-headers") ?? "";
      for (const [name] of answer.headers) {
        if (name.startsWith("x-") || name.startsWith("openai-")) expect(exposed).toContain(name);
      }
    },
  );
});
