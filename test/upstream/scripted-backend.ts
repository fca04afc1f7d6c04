// A backend in vLLM's words whose behaviour a test sets. Every test has its own part: the first word
// of a prompt names the script, so that files run beside each other.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { answerBundle } from "./bundle-route.ts";
import { type OnLoopback, onLoopback } from "./on-loopback.ts";
import type { Script, Seen } from "./script.ts";

class Part {
  script: Script = {};
  seen: Seen[] = [];
  go = Promise.withResolvers<void>();
}

interface Asked {
  prompt: string | string[] | number[] | number[][];
  max_tokens?: number;
  n?: number;
  stream?: boolean;
}

/** The scripted tokenizer: a token for each word. */
function countTokens(prompt: string | number[]): number {
  if (Array.isArray(prompt)) return prompt.length;
  return prompt.split(/\s+/).filter((word) => word !== "").length;
}

function promptsOf({ prompt }: Asked): (string | number[])[] {
  if (typeof prompt === "string") return [prompt];
  return typeof prompt[0] === "number" ? [prompt as number[]] : (prompt as string[] | number[][]);
}

export async function startScriptedBackend(): Promise<OnLoopback> {
  const parts = new Map<string, Part>();
  const partOf = (name: string): Part => {
    const part = parts.get(name) ?? new Part();
    parts.set(name, part);
    return part;
  };
  const server = createServer((request, response) => {
    void serve(partOf, request, response).catch(() => response.destroy());
  });
  return await onLoopback(server);
}

async function serve(
  partOf: (name: string) => Part,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const path = request.url ?? "";
  const [, verb, name] = /^\/test\/(\w+)\/(.+)$/.exec(path) ?? [];
  if (verb !== undefined && name !== undefined) {
    const part = partOf(decodeURIComponent(name));
    if (verb === "script") part.script = JSON.parse(text) as Script;
    if (verb === "go") part.go.resolve();
    response.end(JSON.stringify(part.seen));
    return;
  }
  if (path === "/health") return answer(response, 200, "");
  const lines = path === "/v1/completions/bundle" ? text.split("\n") : [text];
  const body = { prompt: "", ...(JSON.parse(lines[0] ?? "") as Record<string, unknown>) };
  if (isProbe(body)) return answer(response, 200, JSON.stringify(probeAnswer));
  const [prompt] = promptsOf(body as unknown as Asked);
  const part = partOf(/^\S*/.exec(String(prompt))?.[0] ?? "");
  const headers = request.headers as Record<string, string>;
  const seen: Seen = { path, headers, body, answered: false, aborted: false };
  part.seen.push(seen);
  response.on("close", () => {
    seen.answered = response.writableFinished;
    seen.aborted = !response.writableFinished;
  });
  if (path === "/v1/completions/bundle") {
    const { bundleStatus } = part.script;
    if (bundleStatus !== undefined) return answer(response, bundleStatus, "");
    return await answerBundle(request, lines, response);
  }
  if (path === "/v1/completions") return await complete(part, body as unknown as Asked, response);
  if (part.script.holdTokenizer) await part.go.promise;
  answer(response, 200, JSON.stringify(tokenizerAnswer(path, body)));
}

/** The gateway's own question, whether the Model is ready, is of no test's part. */
function isProbe({ prompt, max_tokens, logprobs }: Record<string, unknown>): boolean {
  return Array.isArray(prompt) && prompt.length === 1 && max_tokens === 1 && logprobs === 0;
}

function tokenizerAnswer(path: string, body: Record<string, unknown>) {
  if (path === "/detokenize") return { prompt: `text of ${String(body.tokens)}` };
  const count = countTokens(String(body.prompt));
  const tokens = Array.from({ length: count }, (_, index) => index);
  return { count, max_model_len: 8192, tokens, token_strs: null };
}

async function complete(part: Part, asked: Asked, response: ServerResponse): Promise<void> {
  const { script } = part;
  if (script.holdBefore) await part.go.promise;
  if (script.status !== undefined) return answer(response, script.status, script.body ?? "");
  const prompts = promptsOf(asked);
  const promptTokens = prompts.reduce((sum, prompt) => sum + countTokens(prompt), 0);
  const choices = prompts.length * (asked.n ?? 1);
  const tokens = asked.max_tokens ?? 16;
  if (asked.stream) return await stream(part, { promptTokens, tokens }, response);
  const list = Array.from({ length: choices }, (_, index) => choice(index, " w".repeat(tokens)));
  const usage = usageOf(promptTokens, choices * tokens);
  answer(response, 200, JSON.stringify({ ...head, choices: list, ...foot, usage }));
}

/** One choice, a chunk a token. */
async function stream(
  part: Part,
  { promptTokens, tokens }: { promptTokens: number; tokens: number },
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  for (let sent = 1; sent <= tokens; sent += 1) {
    const choices = [{ ...choice(0, " w"), finish_reason: sent === tokens ? "length" : null }];
    send({ ...head, choices, usage: usageOf(promptTokens, sent) });
    if (sent === part.script.holdAfter) await part.go.promise;
  }
  send({ ...head, choices: [], usage: usageOf(promptTokens, tokens) });
  response.end("data: [DONE]\n\n");
}

const head = { id: "cmpl-1", object: "text_completion", created: 1, model: "served" };
const foot = { service_tier: null, system_fingerprint: null };

function choice(index: number, text: string) {
  return { index, text, logprobs: null, finish_reason: "length", stop_reason: null };
}

const probeAnswer = {
  ...{ id: "cmpl-1", object: "text_completion", created: 1, model: "served" },
  choices: [{ index: 0, text: " w", logprobs: { tokens: ["token_id:1"], token_logprobs: [-1] } }],
  usage: { prompt_tokens: 1, total_tokens: 2, completion_tokens: 1 },
};

function usageOf(prompt: number, completion: number) {
  return {
    ...{ prompt_tokens: prompt, total_tokens: prompt + completion, completion_tokens: completion },
    prompt_tokens_details: null,
  };
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
