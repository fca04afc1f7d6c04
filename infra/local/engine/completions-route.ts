// POST /v1/completions: parse, check, run, answer.
import { randomUUID } from "node:crypto";
import type { Answer, Asked } from "./answer.ts";
import { Completion } from "./completion.ts";
import type { Engine } from "./engine.ts";
import { modelNotFound, RequestError, refused } from "./errors.ts";
import type { Fault } from "./faults.ts";
import { answerPlain } from "./plain-answer.ts";
import { type CompletionRequest, parseRequest } from "./request.ts";
import { Run } from "./run.ts";
import { checkInEngine, samplingParams } from "./sampling-params.ts";
import { answerRefusedStream, answerStream } from "./stream-answer.ts";
import { tokenize } from "./tokenizer.ts";

/** GPT-2's longest token has so many characters; a longer text cannot fit and is not tokenized. */
const LONGEST_TOKEN_CHARACTERS = 128;

export async function completionsRoute(
  engine: Engine,
  request: Asked,
  body: Buffer,
  response: Answer,
): Promise<void> {
  engine.metrics.received++;
  const fault = engine.faults.take(request.headers["x-engine-fault"]);
  if (fault !== undefined && answerWithoutEngine(fault, response)) return;
  const parsed = withPriority(parseRequest(body, request.headers["content-type"]), request);
  // What can wait does so before anything is done for it.
  if (parsed.priority > 0) await engine.turns.next(parsed.priority);
  if (response.destroyed) return;
  checkModel(engine, parsed.model);
  const prompts = promptIds(engine, parsed);
  const params = samplingParams(parsed);
  try {
    checkInEngine(parsed, prompts);
  } catch (error) {
    if (!parsed.stream || !(error instanceof RequestError)) throw error;
    answerRefusedStream(response, error);
    return;
  }
  const run = new Run(engine, parsed, params, prompts);
  response.on("close", () => run.abort());
  const completion = new Completion({
    engine,
    request: parsed,
    id: `cmpl-${requestId(request, parsed)}`,
    run,
    promptTexts: promptTexts(parsed.prompt),
    fault,
  });
  try {
    await (parsed.stream ? answerStream(completion, response) : answerPlain(completion, response));
  } finally {
    run.abort();
  }
}

/** Faults of a proxy or a platform in front of the engine. */
function answerWithoutEngine({ fault, retry_after }: Fault, response: Answer): boolean {
  const answer = (status: number, type: string, body: string, headers = {}): true => {
    const length = Buffer.byteLength(body);
    response.writeHead(status, { "content-type": type, "content-length": length, ...headers });
    response.end(body);
    return true;
  };
  const json = (error: RequestError, headers = {}) =>
    answer(error.status, "application/json", JSON.stringify(error.body()), headers);
  const retry = retry_after > 0 ? { "retry-after": String(retry_after) } : {};
  switch (fault) {
    case "303":
      return answer(303, "text/plain", "", { location: "/v1/completions?call=1" });
    case "503":
    case "never-ready":
      return answer(503, "text/plain", "Service Unavailable", retry);
    case "500":
      return json(new RequestError(500, "InternalServerError", "Internal server error"));
    case "429":
      return json(new RequestError(429, "TooManyRequests", "Too many requests"), retry);
    case "html":
      return answer(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>");
    default:
      return false;
  }
}

export function checkModel(engine: Engine, model: string | undefined): void {
  if (model !== undefined && model !== "" && model !== engine.entry.id) throw modelNotFound(model);
}

function promptList(prompt: CompletionRequest["prompt"]): readonly (string | number[])[] {
  if (typeof prompt === "string") return [prompt];
  if (prompt.length === 0) return [[]];
  return typeof prompt[0] === "number" ? [prompt as number[]] : (prompt as (string | number[])[]);
}

function promptTexts(prompt: CompletionRequest["prompt"]): (string | undefined)[] {
  return promptList(prompt).map((one) => (typeof one === "string" ? one : undefined));
}

function promptIds(engine: Engine, request: CompletionRequest): number[][] {
  const longest = engine.entry.max_model_len - request.maxTokens;
  const asked = `and requested ${request.maxTokens} output tokens. However, the model's context `;
  const bound = `length is only ${engine.entry.max_model_len} tokens, resulting in a maximum input `;
  const advice = "Please reduce the length of the input prompt.";
  return promptList(request.prompt).map((prompt) => {
    if (typeof prompt === "string" && prompt.length > longest * LONGEST_TOKEN_CHARACTERS) {
      const size = `length of ${longest} tokens (at most ${longest * LONGEST_TOKEN_CHARACTERS} `;
      const message = `You passed ${prompt.length} input characters ${asked}${bound}${size}`;
      throw refused(`${message}characters). ${advice}`, "input_text", prompt.length);
    }
    const ids = typeof prompt === "string" ? tokenize(prompt) : prompt;
    if (ids.length > longest) {
      const message = `You passed ${ids.length} input tokens ${asked}${bound}`;
      throw refused(`${message}length of ${longest} tokens. ${advice}`, "input_tokens", ids.length);
    }
    return ids;
  });
}

function requestId(request: Asked, parsed: CompletionRequest): string {
  const header = request.headers["x-request-id"];
  if (typeof header === "string") return header;
  return parsed.requestId ?? randomUUID().replaceAll("-", "");
}

/** vLLM lets a header override the body's priority. */
function withPriority(parsed: CompletionRequest, request: Asked): CompletionRequest {
  const header = request.headers["x-vllm-priority"];
  if (typeof header !== "string" || !/^-?\d+$/.test(header)) return parsed;
  return { ...parsed, priority: Number(header) };
}
