// The request body as vLLM's schema reads it: lenient about types ("5" is an integer), silent about
// fields it does not know, and all problems in one answer.
import { invalid, type RequestError } from "./errors.ts";

type Prompt = string | string[] | number[] | number[][];

export interface CompletionRequest {
  model: string | undefined;
  prompt: Prompt;
  echo: boolean;
  stream: boolean;
  includeUsage: boolean;
  continuousUsage: boolean;
  maxTokens: number;
  n: number;
  seed: number | undefined;
  temperature: number;
  topP: number;
  topK: number;
  minP: number;
  presencePenalty: number;
  frequencyPenalty: number;
  repetitionPenalty: number;
  stop: string[];
  stopTokenIds: number[];
  includeStop: boolean;
  ignoreEos: boolean;
  minTokens: number;
  skipSpecialTokens: boolean;
  logprobs: number | undefined;
  promptLogprobs: number | undefined;
  logprobTokenIds: number[] | undefined;
  logitBias: ReadonlyMap<number, number>;
  allowedTokenIds: number[] | undefined;
  badWords: string[];
  returnTokenIds: boolean;
  tokensAsIds: boolean;
  priority: number;
  requestId: string | undefined;
}

type Body = Readonly<Record<string, unknown>>;
type Reader<T> = (value: unknown) => T | undefined;

const integer: Reader<number> = (value) => {
  if (typeof value === "boolean") return Number(value);
  const number = typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? (number as number) : undefined;
};

const float: Reader<number> = (value) => {
  if (typeof value === "boolean") return Number(value);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && !Number.isNaN(number) ? number : undefined;
};

const flag: Reader<boolean> = (value) => {
  if (value === true || value === 1 || value === "true") return true;
  if (value === false || value === 0 || value === "false") return false;
  return undefined;
};

const text: Reader<string> = (value) =>
  typeof value === "string" && value.isWellFormed() ? value : undefined;

function listOf<T>(read: Reader<T>): Reader<T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map(read);
    return items.includes(undefined) ? undefined : (items as T[]);
  };
}

const naturals: Reader<number[]> = (value) => {
  const ids = listOf(integer)(value);
  return ids?.every((id) => id >= 0) ? ids : undefined;
};

const prompt: Reader<Prompt> = (value) =>
  naturals(value) ?? listOf(naturals)(value) ?? text(value) ?? listOf(text)(value);

const stops: Reader<string[]> = (value) =>
  typeof value === "string" ? [value] : listOf(text)(value);

const biases: Reader<ReadonlyMap<number, number>> = (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const pairs = Object.entries(value).map(([key, bias]) => [integer(key), float(bias)] as const);
  if (pairs.some(([id, bias]) => id === undefined || bias === undefined)) return undefined;
  return new Map(
    pairs.map(([id = 0, bias = 0]) => [id, Math.min(100, Math.max(-100, bias))] as const),
  );
};

/** Parses JSON and the fields; throws a RequestError that names what is wrong. */
export function parseRequest(bytes: Buffer, contentType: string | undefined): CompletionRequest {
  const body = parseBody(bytes, contentType);
  checkCombinations(body);
  return readFields(body);
}

export function parseBody(bytes: Buffer, contentType: string | undefined): Body {
  if (!/^application\/(json|[^;]*\+json)/i.test(contentType ?? "")) {
    throw invalid(["Unsupported Media Type: Only 'application/json' is allowed"], "body");
  }
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalid(
      ["{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error'}"],
      "body.0",
    );
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalid(["{'type': 'model_attributes_type', 'loc': ('body',)}"], "body");
  }
  return body as Body;
}

function checkCombinations(body: Body): void {
  const problem = (message: string, param: string): RequestError =>
    invalid([`{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, ${message}'}`], param);
  const salt = body.cache_salt;
  if (salt !== undefined && salt !== null && (typeof salt !== "string" || salt === "")) {
    throw problem("Parameter 'cache_salt' must be a non-empty string if provided.", "cache_salt");
  }
  checkLogprobFields(body, problem);
  if (body.stream_options && !body.stream) {
    throw problem("Stream options can only be defined when `stream=True`.", "stream_options");
  }
  if (body.prompt === undefined || body.prompt === null || body.prompt === "") {
    throw problem("Either prompt or prompt_embeds must be provided and non-empty.", "prompt");
  }
}

function checkLogprobFields(
  body: Body,
  problem: (message: string, param: string) => RequestError,
): void {
  const chosen = body.logprob_token_ids;
  if (Array.isArray(chosen)) {
    const refuse = (why: string) => problem(why, "logprob_token_ids");
    if (chosen.length === 0) throw refuse("`logprob_token_ids` must not be an empty list.");
    if (body.echo && body.max_tokens === 0) {
      throw refuse(
        "`logprob_token_ids` is not supported when `echo=True` and `max_tokens=0` because no " +
          "output tokens are generated.",
      );
    }
    if (body.logprobs === undefined || body.logprobs === null) {
      throw refuse("when using `logprob_token_ids`, `logprobs` must be set.");
    }
  }
  for (const field of ["prompt_logprobs", "logprobs"]) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number") throw problem(`\`${field}\` must be an integer.`, field);
    if (field === "prompt_logprobs" && body.stream && (value > 0 || value === -1)) {
      throw problem("`prompt_logprobs` are not available when `stream=True`.", field);
    }
    if (value < 0 && value !== -1) {
      throw problem(`\`${field}\` must be a positive value or -1.`, field);
    }
  }
}

/** Reads one field; absent and null are the same, a wrong type is noted. */
class FieldReader {
  readonly problems: string[] = [];
  firstParam = "body";
  readonly #body: Body;

  constructor(body: Body) {
    this.#body = body;
  }

  get<T>(name: string, read: Reader<T>): T | undefined {
    const value = this.#body[name];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined) {
      if (this.problems.length === 0) this.firstParam = `body.${name}`;
      this.problems.push(`{'type': 'type_error', 'loc': ('body', '${name}')}`);
    }
    return result;
  }
}

function readFields(body: Body): CompletionRequest {
  const fields = new FieldReader(body);
  const stream = fields.get("stream", flag) ?? false;
  const options = new FieldReader((body.stream_options ?? {}) as Body);
  const includeUsage = stream && (options.get("include_usage", flag) ?? false);
  const asked = body.stream_options !== undefined && body.stream_options !== null;
  const request: CompletionRequest = {
    model: fields.get("model", text),
    prompt: fields.get("prompt", prompt) ?? "",
    echo: fields.get("echo", flag) ?? false,
    stream,
    includeUsage: asked && includeUsage,
    continuousUsage:
      asked && includeUsage && (options.get("continuous_usage_stats", flag) ?? false),
    maxTokens: fields.get("max_tokens", integer) ?? 16,
    n: fields.get("n", integer) ?? 1,
    seed: fields.get("seed", integer),
    temperature: fields.get("temperature", float) ?? 1,
    topP: fields.get("top_p", float) ?? 1,
    topK: fields.get("top_k", integer) ?? 0,
    minP: fields.get("min_p", float) ?? 0,
    presencePenalty: fields.get("presence_penalty", float) ?? 0,
    frequencyPenalty: fields.get("frequency_penalty", float) ?? 0,
    repetitionPenalty: fields.get("repetition_penalty", float) ?? 1,
    stop: fields.get("stop", stops) ?? [],
    stopTokenIds: fields.get("stop_token_ids", listOf(integer)) ?? [],
    includeStop: fields.get("include_stop_str_in_output", flag) ?? false,
    ignoreEos: fields.get("ignore_eos", flag) ?? false,
    minTokens: fields.get("min_tokens", integer) ?? 0,
    skipSpecialTokens: fields.get("skip_special_tokens", flag) ?? true,
    logprobs: fields.get("logprobs", integer),
    promptLogprobs: fields.get("prompt_logprobs", integer),
    logprobTokenIds: fields.get("logprob_token_ids", listOf(integer)),
    logitBias: fields.get("logit_bias", biases) ?? new Map(),
    allowedTokenIds: fields.get("allowed_token_ids", listOf(integer)),
    badWords: fields.get("bad_words", listOf(text)) ?? [],
    returnTokenIds: fields.get("return_token_ids", flag) ?? false,
    tokensAsIds: fields.get("return_tokens_as_token_ids", flag) ?? false,
    priority: fields.get("priority", integer) ?? 0,
    requestId: fields.get("request_id", text),
  };
  if (fields.problems.length > 0) throw invalid(fields.problems, fields.firstParam);
  return request;
}
