// Every route, whoever calls it and however: the right door for each, and JSON whatever happens.
import { beforeAll, describe, expect, inject, it } from "vitest";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { type Route, routes, unsupportedPaths } from "../../src/contract/routes.ts";
import { callApi, errorOf, newPerson, type Person } from "./person.ts";

const stack = inject("stack");
let member: Person;
let adminPerson: Person;
/** A Member with a key of the admin scope. */
let pretender: Person;

beforeAll(async () => {
  member = await newPerson(stack);
  adminPerson = await newPerson(stack, { role: "admin" });
  pretender = member.with(await member.mint({ scope: "admin" }));
});

const apiRoutes = routes.filter(({ path }) => path.startsWith("/v1/"));

/** A path that fits; the ids exist nowhere, so that nothing changes. */
function pathOf({ path }: Route): string {
  if (path === "/v1/models/{id}") return "/v1/models/local";
  const owner = path.includes("/keys/{id}") ? "key_0000000000000000_0" : "0000000000000000";
  return path.replace("{id}", owner);
}

function call(route: Route, key: string | null): Promise<Response> {
  const body = route.method === "GET" ? undefined : {};
  return callApi(stack, key, { method: route.method, path: pathOf(route), body });
}

describe("each route lets in whom it should", () => {
  it.each(routes)("$method $path", async (route) => {
    const strangers = [null, "sk-123", `${member.key}x`, altered(member.key), "ctn_"];
    for (const stranger of strangers) {
      const response = await call(route, stranger);
      expect(response.status).toBe(route.access === "open" ? 200 : 401);
      if (route.access === "open") continue;
      const code = route.access === "signed" ? "invalid_signature" : "invalid_api_key";
      expect((await errorOf(response)).code).toBe(code);
    }
    if (route.access === "signed") return;
    const letIn = { member: route.access !== "admin", operator: route.access !== "account" };
    expect(await isLetIn(await call(route, member.key))).toBe(letIn.member);
    expect(await isLetIn(await call(route, pretender.key))).toBe(letIn.member);
    expect(await isLetIn(await call(route, adminPerson.key))).toBe(true);
    expect(await isLetIn(await call(route, stack.operatorKey))).toBe(letIn.operator);
  });

  it("tells a Member apart from a stranger on the admin routes", async () => {
    const response = await member.call("GET", "/v1/admin/people");
    expect(response.status).toBe(403);
    expect((await errorOf(response)).code).toBe("admin_required");
  });

  it.each(["Basic", "bearer-ish", "Token"])("takes no key by the scheme %s", async (scheme) => {
    const headers = { authorization: `${scheme} ${member.key}` };
    const response = await fetch(`${stack.api}/account`, { headers });
    expect(response.status).toBe(401);
  });

  it("says who asks, and the person's limits, on every answer to a known key", async () => {
    for (const path of ["/v1/account", "/v1/usage", "/v1/models"]) {
      const { headers } = await member.call("GET", path);
      expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
      expect(headers.get("openai-processing-ms")).toMatch(/^\d+$/);
      expect(headers.get("x-ratelimit-limit-tokens")).toBe("1000000");
      expect(headers.get("x-ratelimit-remaining-tokens")).toBe("1000000");
    }
  });
});

describe("browser tools", () => {
  const exposed = [
    ..."x-request-id openai-processing-ms server-timing x-seed x-model-revision".split(" "),
    ..."x-max-tokens-lowered x-should-retry retry-after retry-after-ms".split(" "),
    ..."x-ratelimit-limit-requests x-ratelimit-remaining-requests".split(" "),
    ..."x-ratelimit-reset-requests x-ratelimit-limit-tokens".split(" "),
    "x-ratelimit-remaining-tokens",
  ];

  it.each(apiRoutes)("may call $method $path, which a preflight tells them", async (route) => {
    const response = await fetch(stack.app + pathOf(route), {
      method: "OPTIONS",
      headers: {
        origin: "https://example.org",
        "access-control-request-method": route.method,
        "access-control-request-headers": "authorization,content-type,x-stainless-lang",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(listOf(response, "access-control-allow-methods")).toContain(route.method.toLowerCase());
    expect(listOf(response, "access-control-allow-headers")).toContain("authorization");
  });

  it("may read every header of the contract, on answers and refusals", async () => {
    const headers = { origin: "https://example.org" };
    const complete = (body: object) =>
      callApi(stack, member.key, { method: "POST", path: "/v1/completions", body, headers });
    const answers = [
      await complete({ model: "local", prompt: "a", max_tokens: 1 }),
      await complete({ model: "local", prompt: "a", max_tokens: 1, stream: true }),
      await complete({ nonsense: 1 }),
      await callApi(stack, null, { method: "GET", path: "/v1/account", headers }),
      await callApi(stack, null, { method: "GET", path: "/v1/nothing", headers }),
    ];
    for (const answer of answers) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(listOf(answer, "access-control-expose-headers")).toEqual(
        expect.arrayContaining(exposed),
      );
      await answer.text();
    }
  });
});

describe("what is no route", () => {
  it.each([
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/v1/completions/",
    "/v1/completions/1",
    "/v2/completions",
    "/v1/COMPLETIONS",
    "/v1/models/",
    "/v1/admin",
    "/v1/admin/people/a/b/c",
    "/.env",
  ])("%s is a JSON 404", async (path) => {
    for (const method of ["GET", "POST"]) {
      const response = await callApi(stack, member.key, { method, path });
      expect(response.status).toBe(404);
      expect((await errorOf(response)).code).toBe("not_found");
    }
  });

  it.each(routes)(
    "$path by another method than its own is a 405 that names them",
    async (route) => {
      const path = pathOf(route);
      const own = routes.filter((one) => one.path === route.path).map(({ method }) => `${method}`);
      for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
        if (own.includes(method)) continue;
        const response = await callApi(stack, member.key, { method, path });
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")?.split(", ").sort()).toEqual([...own].sort());
        expect((await errorOf(response)).code).toBe("method_not_allowed");
      }
    },
  );

  it.each(unsupportedPaths)("%s shows the completions call", async (path) => {
    const response = await callApi(stack, member.key, { method: "POST", path, body: {} });
    expect(response.status).toBe(400);
    const { code, message } = await errorOf(response);
    expect(code).toBe("chat_unsupported");
    expect(message).toContain(`${stack.app}/v1/completions`);
  });

  it.each(["/v1/models/%ff", "/v1/models/%", "/v1/models/..%2f..", "/v1/models/nothing"])(
    "%s is a Model that does not exist",
    async (path) => {
      const response = await callApi(stack, member.key, { method: "GET", path });
      expect(response.status).toBe(404);
      expect((await errorOf(response)).code).toBe("model_not_found");
    },
  );
});

describe("every error points to its line of the documentation", () => {
  it("which is there", async () => {
    const { message, code } = await errorOf(await member.complete({ n: 0 }));
    const address = /https?:\S+$/.exec(message)?.[0] ?? "";
    expect(new URL(address).hash).toBe(`#${code}`);
    const page = await fetch(address);
    expect(page.status).toBe(200);
    const text = await page.text();
    for (const known of Object.keys(errorCatalogue)) expect(text).toContain(known);
  });
});

/** Past the door; what it finds there may be nothing, or wrong. */
async function isLetIn(response: Response): Promise<boolean> {
  await response.text();
  return response.status !== 401 && response.status !== 403;
}

/** A well-formed key that nobody minted. */
function altered(key: string): string {
  const middle = key.length - 20;
  const other = key[middle] === "0" ? "1" : "0";
  return key.slice(0, middle) + other + key.slice(middle + 1);
}

function listOf(response: Response, header: string): string[] {
  return (response.headers.get(header) ?? "").toLowerCase().split(/, */);
}
