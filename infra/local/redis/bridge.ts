// Upstash's REST protocol in front of an ordinary Redis: a command as a JSON array to `/`, several to
// `/pipeline` or, as one transaction, to `/multi-exec`. https://upstash.com/docs/redis/features/restapi
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { RedisConnection } from "./connection.ts";
import { RedisError, type Reply } from "./resp.ts";

type Answer = { result: unknown } | { error: string };

interface Answered {
  status: number;
  body: Answer | Answer[];
}

/** Answers whoever has this token. Close it and its Redis connection with `server.close()`. */
export function createBridge(socketPath: string, token: string): Server {
  const redis = new RedisConnection(socketPath);
  const scripts = new Map<string, string>();
  const server = createServer((request, response) => {
    void answer(redis, scripts, token, request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  });
  server.on("close", () => redis.close());
  return server;
}

async function answer(
  redis: RedisConnection,
  scripts: Map<string, string>,
  token: string,
  request: IncomingMessage,
): Promise<Answered> {
  if (request.headers.authorization !== `Bearer ${token}`) {
    return { status: 401, body: { error: "WRONGPASS invalid or missing auth token" } };
  }
  const encode = request.headers["upstash-encoding"] === "base64" ? inBase64 : asItIs;
  try {
    const body = JSON.parse(await textOf(request)) as unknown;
    const run = async (words: unknown) => answerOf(await send(redis, scripts, words), encode);
    switch (request.url) {
      case "/":
        return statusOf(await run(body));
      case "/pipeline":
        return { status: 200, body: await Promise.all((body as unknown[]).map(run)) };
      case "/multi-exec":
        return await transaction(redis, scripts, body as unknown[], encode);
      default:
        return { status: 404, body: { error: "ERR there is no such path" } };
    }
  } catch (failure) {
    return { status: 503, body: { error: String(failure) } };
  }
}

async function transaction(
  redis: RedisConnection,
  scripts: Map<string, string>,
  commands: readonly unknown[],
  encode: (text: string) => string,
): Promise<Answered> {
  // Sent in one go, so that nothing of another request comes between.
  const replies = await Promise.all([
    redis.send(["MULTI"]),
    ...commands.map((words) => send(redis, scripts, words)),
    redis.send(["EXEC"]),
  ]);
  const done = replies.at(-1);
  if (!Array.isArray(done)) return statusOf(answerOf(done ?? null, encode));
  return { status: 200, body: done.map((reply) => answerOf(reply, encode)) };
}

/**
 * The library's scripts begin with a shebang whose flag only Upstash knows, and are called by the hash
 * of the whole. Redis gets them without that line, so it knows them by another hash.
 */
function send(
  redis: RedisConnection,
  scripts: Map<string, string>,
  words: unknown,
): Promise<Reply> {
  const [name = "", script = "", ...rest] = (words as unknown[]).map(wordOf);
  const plain = script.replace(/^#!lua[^\n]*\n/, "");
  const isScript = name.toUpperCase() === "EVAL" && plain !== script;
  if (isScript) scripts.set(sha1(script), sha1(plain));
  const known = name.toUpperCase() === "EVALSHA" ? scripts.get(script.toLowerCase()) : undefined;
  const all = (words as unknown[]).length;
  return redis.send([name, known ?? plain, ...rest].slice(0, all));
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function statusOf(body: Answer): Answered {
  return { status: "error" in body ? 400 : 200, body };
}

function answerOf(reply: Reply, encode: (text: string) => string): Answer {
  if (reply instanceof RedisError) return { error: reply.message };
  return { result: encoded(reply, encode) };
}

function encoded(reply: Reply, encode: (text: string) => string): unknown {
  if (Array.isArray(reply)) return reply.map((one) => encoded(one, encode));
  if (reply instanceof RedisError) return encode(reply.message);
  return typeof reply === "string" ? encode(reply) : reply;
}

/** Upstash leaves this one word as it is. */
function inBase64(text: string): string {
  return text === "OK" ? text : Buffer.from(text).toString("base64");
}

function asItIs(text: string): string {
  return text;
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
