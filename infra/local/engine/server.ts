// The HTTP face of the engine: routing, the key, the cold start.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Model, parseCatalogue } from "../../../src/contract/catalogue.ts";
import { send, sendError, sendUnauthorized } from "./answer.ts";
import { BUNDLE_PATH, bundleRoute } from "./bundle-route.ts";
import { ColdStart } from "./cold-start.ts";
import { completionsRoute } from "./completions-route.ts";
import { LanguageModel } from "./distribution.ts";
import { assembleEngine, type Engine, VLLM_VERSION } from "./engine.ts";
import { RequestError } from "./errors.ts";
import { type BundleFault, Faults } from "./faults.ts";
import { Metrics } from "./metrics.ts";
import { loadOrTrain, type Progress } from "./model-file.ts";
import { Scheduler } from "./scheduler.ts";
import { fixedSource, learnedSource } from "./token-source.ts";
import { detokenizeRoute, tokenizeRoute } from "./tokenize-routes.ts";

export interface EngineOptions {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Where the learned model is kept. */
  readonly dataFolder: string;
  /** Required as a Bearer token on /v1 paths, if set. */
  readonly apiKey?: string;
  readonly coldStartSeconds?: number;
  /** Cold again after so long without a request; 0 is never. */
  readonly idleSeconds?: number;
  /** A fixed answer in place of the model. */
  readonly fast?: boolean;
  readonly tokenDelayMs?: number;
  /** Listen to `x-engine-fault` and /faults. */
  readonly faults?: boolean;
  /** Sequences that run at once; others wait. */
  readonly maxRunning?: number;
  readonly progress?: Progress;
}

export interface RunningEngine {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_RUNNING = 256;
/** Longer than the gateway keeps idle connections, so it is never the engine that closes one. */
const KEEP_ALIVE_MS = 75_000;

/** Models already in memory, by data folder: a test file starts many engines. */
const loadedModels = new Map<string, LanguageModel>();

export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const handle = requestHandler(createEngine(options), options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, handle);
  await listen(server, options.port ?? 0, options.host ?? "127.0.0.1");
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function createEngine(options: EngineOptions): Engine {
  const entry = catalogueEntry();
  const metrics = new Metrics(entry.id);
  const model = modelIn(options.dataFolder, options.progress ?? (() => undefined));
  return assembleEngine({
    entry,
    model,
    source: options.fast ? fixedSource() : learnedSource(model),
    metrics,
    scheduler: new Scheduler(options.maxRunning ?? MAX_RUNNING, metrics),
    faults: new Faults(options.faults ?? false),
    tokenDelayMs: options.tokenDelayMs ?? 0,
  });
}

function catalogueEntry(): Model {
  const file = new URL("../../models.json", import.meta.url);
  const entry = parseCatalogue(JSON.parse(readFileSync(file, "utf8"))).get("local");
  if (entry === undefined) throw new Error("infra/models.json has no entry named local");
  return entry;
}

function modelIn(dataFolder: string, progress: Progress): LanguageModel {
  const known = loadedModels.get(dataFolder);
  if (known !== undefined) return known;
  const model = new LanguageModel(loadOrTrain(dataFolder, progress));
  loadedModels.set(dataFolder, model);
  return model;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function requestHandler(engine: Engine, options: EngineOptions): Handler {
  const cold = new ColdStart(options.coldStartSeconds ?? 0, options.idleSeconds ?? 0);
  const authorized = keyCheck(options.apiKey);
  return (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    response.setHeader("server", "uvicorn");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      engine.metrics.coldStarts = cold.count;
      engine.metrics.up = cold.isUp(Date.now());
      const alwaysUp = path === "/version" || path === "/metrics" || path.startsWith("/faults");
      if (!alwaysUp) {
        const ready = cold.touch(Date.now()) && !engine.faults.neverReady;
        response.on("close", cold.use(Date.now));
        if (!ready) return send(response, 503, "text/plain; charset=utf-8", "Service Unavailable");
      }
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const call = { path, request, body, response, authorized: authorized(request) };
      route(engine, call).catch((error: unknown) => sendError(response, error));
    });
  };
}

function keyCheck(apiKey: string | undefined): (request: IncomingMessage) => boolean {
  if (apiKey === undefined) return () => true;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(apiKey);
  return ({ headers }) => {
    const [scheme = "", ...rest] = (headers.authorization ?? "").split(" ");
    if (scheme.toLowerCase() !== "bearer") return false;
    return timingSafeEqual(digest(rest.join(" ")), expected);
  };
}

interface Call {
  readonly path: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
  /** Whether the engine's key came with it. */
  readonly authorized: boolean;
}

async function route(engine: Engine, call: Call): Promise<void> {
  const { path, request, body, response, authorized } = call;
  if (path === BUNDLE_PATH) {
    const fault = engine.faults.takeForBundle(request.headers["x-engine-fault"]);
    if (fault?.fault !== "bundle-404") return bundle(engine, call, fault);
  }
  if (path.startsWith("/v1") && request.method !== "OPTIONS" && !authorized) {
    return sendUnauthorized(response);
  }
  const contentType = request.headers["content-type"];
  const json = (text: string) => send(response, 200, "application/json", text);
  switch (`${request.method} ${path}`) {
    case "POST /v1/completions":
      return completionsRoute(engine, request, body, response);
    case "POST /tokenize":
      return json(tokenizeRoute(engine, body, contentType));
    case "POST /detokenize":
      return json(detokenizeRoute(engine, body, contentType));
    case "GET /v1/models":
      return json(modelList(engine));
    case "GET /health":
      return send(response, 200, undefined, "");
    case "GET /version":
      return json(JSON.stringify({ version: VLLM_VERSION }));
    case "GET /metrics":
      return send(response, 200, "text/plain; version=0.0.4", engine.metrics.text());
  }
  if (path === "/faults" && engine.faults.enabled)
    return faultsRoute(engine, request, body, response);
  const known = ["/v1/completions", "/tokenize", "/detokenize", "/v1/models", "/health"];
  throw known.includes(path) ? methodNotAllowed() : new RequestError(404, "Not Found", "Not Found");
}

/** Its lines are asked for the key, not the whole. */
function bundle(engine: Engine, call: Call, fault: BundleFault | undefined): void {
  const { request, response, body, authorized } = call;
  if (request.method !== "POST") throw methodNotAllowed();
  bundleRoute(engine, { headers: request.headers, body, authorized, fault }, response);
}

function methodNotAllowed(): RequestError {
  return new RequestError(405, "Method Not Allowed", "Method Not Allowed");
}

function faultsRoute(
  { faults }: Engine,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  if (request.method === "DELETE") faults.clear();
  if (request.method === "POST") {
    const problem = faults.arm(JSON.parse(body.toString()) as Record<string, unknown>);
    if (problem !== undefined) throw new RequestError(400, "BadRequestError", problem, "fault");
  }
  send(response, 200, "application/json", JSON.stringify({ faults: faults.list() }));
}

function modelList({ entry, startedAt: created }: Engine): string {
  const permission = {
    id: `modelperm-${entry.revision.slice(0, 32)}`,
    object: "model_permission",
    created,
    allow_create_engine: false,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: "*",
    group: null,
    is_blocking: false,
  };
  const card = {
    id: entry.id,
    object: "model",
    created,
    owned_by: "vllm",
    root: entry.repo,
    parent: null,
    max_model_len: entry.max_model_len,
    permission: [permission],
  };
  return JSON.stringify({ object: "list", data: [card] });
}
