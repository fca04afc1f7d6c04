// A server that answers byte by byte as a test says, for what no engine would do on demand. Each test
// has its own part of the address, `/<name>/…`, so that files run beside each other.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type OnLoopback, onLoopback } from "./on-loopback.ts";
import type { Step, WireRequest, WireScript } from "./wire-script.ts";

class Part {
  script: WireScript = { steps: [] };
  readonly seen: WireRequest[] = [];
  /** Whether the answer was whole when its connection was closed or free again. */
  readonly closed = Promise.withResolvers<{ whole: boolean }>();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }
}

export async function startScriptedServer(): Promise<OnLoopback> {
  const parts = new Map<string, Part>();
  const server = createServer((request, response) => {
    void serve(parts, request, response).catch(() => response.destroy());
  });
  return await onLoopback(server);
}

async function serve(
  parts: Map<string, Part>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, name = "", ...rest] = (request.url ?? "").split("/");
  const part = parts.get(name) ?? new Part();
  parts.set(name, part);
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (rest[0] === "test") {
    response.end(JSON.stringify(await control(part, rest.slice(1), body)));
    return;
  }
  const headers = request.headers as Record<string, string>;
  part.seen.push({ method: request.method ?? "", path: `/${rest.join("/")}`, headers, body });
  response.on("close", () => part.closed.resolve({ whole: response.writableFinished }));
  await play(part, response);
}

async function control(part: Part, [verb, name = ""]: string[], body: string): Promise<unknown> {
  switch (verb) {
    case "script":
      part.script = JSON.parse(body) as WireScript;
      return {};
    case "open":
      part.gate(name).resolve();
      return {};
    case "closed":
      return await part.closed.promise;
    default:
      return part.seen;
  }
}

async function play(part: Part, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, holdHeaders, steps } = part.script;
  if (holdHeaders !== undefined) await part.gate(holdHeaders).promise;
  response.writeHead(status, headers);
  response.flushHeaders();
  await pipeline(Readable.from(writes(part, steps)), response);
}

/** Throws where the connection is to break. */
async function* writes(part: Part, steps: readonly Step[]): AsyncGenerator<Buffer> {
  for (const step of steps) {
    if ("gate" in step) await part.gate(step.gate).promise;
    else if ("breakOff" in step) throw new Error("broken off by the script");
    else if ("bytes" in step) yield Buffer.from(step.bytes);
    else for (let times = step.times ?? 1; times > 0; times--) yield Buffer.from(step.text);
  }
}
