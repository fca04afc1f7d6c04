// Answers as vLLM writes them: compact JSON, its key order, keys that it sets only sometimes. Built
// as text, so that a test can put keys into a map twice or in an order that JavaScript would change.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

export interface ChoiceParts {
  index?: number;
  text?: string;
  /** Raw JSON. */
  logprobs?: string;
  finishReason?: string | null;
}

export function choiceJson(parts: ChoiceParts = {}): string {
  const { index = 0, text = " w", logprobs = "null", finishReason = null } = parts;
  const finish = JSON.stringify(finishReason);
  return `{"index":${index},"text":${JSON.stringify(text)},"logprobs":${logprobs},"finish_reason":${finish},"stop_reason":null}`;
}

/** A map of token texts as vLLM sends it, keys in the order given, also twice. */
export function logprobsJson(tokens: readonly string[]): string {
  const names = tokens.map((token) => JSON.stringify(token));
  const top = names.map((name, at) => `${name}:-${at}.50`).join(",");
  return `{"text_offset":[0],"token_logprobs":[-1e-07],"tokens":[${names.join(",")}],"top_logprobs":[{${top}}]}`;
}

export function usageJson(prompt: number, completion: number): string {
  return `{"prompt_tokens":${prompt},"total_tokens":${prompt + completion},"completion_tokens":${completion}}`;
}

const head = (model: string) =>
  `{"id":"cmpl-7","object":"text_completion","created":1764000000,"model":${JSON.stringify(model)},"choices":`;

/** `after` is raw JSON behind `choices`, from its comma on. */
export function chunkEvent(choices: string, after: string, model = "served/name"): string {
  return `data: ${head(model)}[${choices}]${after}}\n\n`;
}

/** A chunk with the continuous usage that the gateway always asks for. */
export function tokenEvent(
  parts: ChoiceParts,
  usage: { prompt: number; completion: number },
  model?: string,
): string {
  const after = `,"usage":${usageJson(usage.prompt, usage.completion)}`;
  return chunkEvent(choiceJson(parts), after, model);
}

export function finalEvent(prompt: number, completion: number, model?: string): string {
  return chunkEvent("", `,"usage":${usageJson(prompt, completion)}`, model);
}

export const doneEvent = "data: [DONE]\n\n";

/** vLLM writes errors by Python's json module, with spaces. */
export const errorEvent = (message: string, code = 500): string =>
  `data: {"error": {"message": ${JSON.stringify(message)}, "type": "InternalServerError", "param": null, "code": ${code}}}\n\n`;

export function plainJson(
  choices: string,
  { usage = usageJson(5, 3), extra = "", model = "served/name" } = {},
): string {
  return `${head(model)}[${choices}],"service_tier":null,"system_fingerprint":"vllm-ü","usage":${usage},"prompt_logprobs":null${extra}}`;
}

/** Texts and token keys that look like the JSON around them, or are hard to carry. */
export const hostileTexts: readonly string[] = [
  '],"usage":',
  '"}],"usage":{"prompt_tokens":0,"total_tokens":0,"completion_tokens":0}}',
  '],"',
  "],",
  ',"finish_reason":"abort"',
  '\\"],"usage":{',
  "\\",
  '"',
  "__proto__",
  "constructor",
  "\n\n",
  "data: [DONE]\n\n",
  ',"choices":[',
  ',"model":"served/name"',
  "\u2028\u2029\u0085",
  "\u0000\u001f\u007f",
  "👩‍👩‍👧‍👦 é ü 漢字",
  "\ud800",
  "10",
  "9",
  "",
];
