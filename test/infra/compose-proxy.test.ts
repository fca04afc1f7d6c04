import { watch } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allowedRoutes } from "../../infra/compose/allowed-routes.ts";
import { proxyConfiguration } from "../../infra/compose/proxy.ts";
import { type RunningEngine, startEngine } from "../../infra/local/engine/server.ts";
import { COMPLETION_BODY_MAX_BYTES } from "../../src/contract/limits.ts";
import { forwardLimits } from "../../src/worker/forward/forward-limits.ts";
import type { UpstreamCall } from "../../src/worker/forward/upstream-call.ts";
import { DATA_FOLDER } from "../engine/calling.ts";
import { nginx, type RunningProxy, startProxy } from "./compose-nginx.ts";

const KEY = "Aa0_-".repeat(8);

// What is left of the paths that the gateway calls: none, or this does not compile.
type NotAllowed = Exclude<UpstreamCall["path"], (typeof allowedRoutes)[number]["path"]>;
const everyPathIsAllowed: [NotAllowed] extends [never] ? true : NotAllowed = true;

let engine: RunningEngine;
let proxy: RunningProxy;

// CI installs nginx. Without it these are shown as skipped, never as passed.
describe.runIf(nginx !== null || process.env.CI !== undefined)("the proxy before vLLM", () => {
  beforeEach(async () => {
    if (nginx === null) throw new Error("There is no nginx: apt-get install nginx.");
    engine = await startEngine({ dataFolder: DATA_FOLDER, apiKey: KEY, faults: true });
    proxy = await startProxy(nginx, { engine: engine.url, key: KEY, resolver: "127.0.0.1" });
  });
  afterEach(async () => {
    await proxy.close();
    await engine.close();
  });

  function call(path: string, init: RequestInit = {}, authorization = `Bearer ${KEY}`) {
    const headers = { authorization, "content-type": "application/json" };
    return fetch(proxy.url + path, { ...init, headers: { ...headers, ...init.headers } });
  }

  function post(path: string, body: object, init: RequestInit = {}) {
    return call(path, { ...init, method: "POST", body: JSON.stringify(body) });
  }

  test("every route that the gateway calls gets through to the engine", async () => {
    expect(everyPathIsAllowed).toBe(true);
    const bodies: Record<string, object> = {
      "/v1/completions/bundle": { model: "local", prompt: "Call me", max_tokens: 2 },
      "/v1/completions": { model: "local", prompt: "Call me", max_tokens: 2 },
      "/tokenize": { model: "local", prompt: "Call me" },
      "/detokenize": { model: "local", tokens: [1, 2] },
    };
    for (const { method, path } of allowedRoutes) {
      const response = await (method === "GET" ? call(path) : post(path, bodies[path] ?? {}));
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  test.each([
    ["POST", "/invocations"],
    ["POST", "/v1/chat/completions"],
    ["POST", "/v1/load_lora_adapter"],
    ["POST", "/pause"],
    ["POST", "/sleep"],
    ["POST", "/collective_rpc"],
    ["GET", "/docs"],
    ["GET", "/v1/completions/"],
    ["GET", "//v1/models"],
    ["POST", "/v1/completions%00/x"],
    ["GET", "/v1/models/local"],
  ])("%s %s, which the gateway does not call, ends at the proxy", async (method, path) => {
    const response = await call(path, { method });
    expect([400, 404]).toContain(response.status);
  });

  test("an allowed route with another method is refused", async () => {
    for (const { method, path } of allowedRoutes) {
      const other = method === "GET" ? "POST" : "GET";
      expect([path, (await call(path, { method: other })).status]).toEqual([path, 403]);
      expect([path, (await call(path, { method: "DELETE" })).status]).toEqual([path, 403]);
    }
  });

  test("without the key every route is a 401, also those that vLLM itself leaves open", async () => {
    const wrong = [
      "",
      KEY,
      `Bearer ${KEY}x`,
      `Bearer ${KEY.slice(1)}`,
      `Bearer ${KEY.toUpperCase()}`,
    ];
    for (const authorization of wrong) {
      for (const path of ["/health", "/metrics", "/tokenize", "/v1/completions", "/pause"]) {
        const response = await call(path, {}, authorization);
        expect([path, response.status]).toEqual([path, 401]);
        expect(await response.text()).toBe('{"error":"Unauthorized"}');
      }
    }
  });

  test("a chunk arrives while the engine still owes the rest, and who leaves then frees it", async () => {
    const leaving = new AbortController();
    // Held back, the three chunks would never come: nothing follows them.
    const headers = { "x-engine-fault": "hang-mid;at=3" };
    const body = { model: "local", prompt: "Call me", max_tokens: 20, stream: true };
    const response = await post("/v1/completions", body, { headers, signal: leaving.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (text.split("data: ").length <= 3) text += (await reader?.read())?.value ?? "";
    expect(await running()).toBe(1);
    leaving.abort();
    await expect.poll(running, { timeout: 10_000 }).toBe(0);
  });

  async function running(): Promise<number> {
    const text = await (await call("/metrics")).text();
    return Number(/^vllm:num_requests_running\{[^}]*\} (\S+)$/m.exec(text)?.[1]);
  }

  test("the largest body that the gateway takes gets through, and never to the disk", async () => {
    const written: (string | null)[] = [];
    const watching = watch(proxy.bodies, (_, name) => written.push(name));
    const padding = "x".repeat(COMPLETION_BODY_MAX_BYTES);
    const response = await post("/tokenize", { model: "local", prompt: "a", padding });
    watching.close();
    expect(response.status).toBe(200);
    expect(written).toEqual([]);
  });

  test("a body of twice that ends at the proxy", async () => {
    const padding = "x".repeat(2.2 * COMPLETION_BODY_MAX_BYTES);
    const response = await post("/tokenize", { prompt: padding }).catch(() => null);
    // nginx answers and closes; a client that still sends may see only the closing.
    if (response !== null) expect(response.status).toBe(413);
    expect((await call("/health")).status).toBe(200);
  });

  // nginx passes chunks on at once either way; with buffering it would also run ahead of a slow reader.
  test("an answer is never kept at the proxy for a reader that is slow", () => {
    const setting = { port: 1, engine: engine.url, resolver: null };
    expect(proxyConfiguration(setting)).toContain("proxy_buffering off;");
  });

  test("nothing at the proxy ends a wait that the gateway still bears", () => {
    const gatewayWaits = Math.max(...Object.values<number>({ ...forwardLimits }), 600_000) / 1_000;
    const setting = { port: 1, engine: engine.url, resolver: null };
    const limits = proxyConfiguration(setting).matchAll(/(\w+)_timeout (\d+)s;/g);
    const seconds = Object.fromEntries([...limits].map(([, name, value]) => [name, Number(value)]));
    expect(seconds.proxy_read).toBeGreaterThan(gatewayWaits);
    expect(seconds.proxy_send).toBeGreaterThan(gatewayWaits);
    expect(seconds.send).toBeGreaterThan(gatewayWaits);
  });

  test("an engine that does not listen yet reads as one that starts", async () => {
    await engine.close();
    const response = await post("/v1/completions", { prompt: "a" });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("content-type")).toContain("application/json");
  });
});
