// Rules between fields that need no Model. Each names the fields it reads: where one of them is
// wrong by itself, the rule is silent, so that no problem is told twice.
import { completionFields, type FieldName } from "./completion-fields.ts";
import type { CompletionBody } from "./completion-schema.ts";
import type { Problem } from "./problems.ts";
import { requestLimits as limits } from "./request-limits.ts";

/** Fields that are well-formed each by itself. */
export type SoundFields = { readonly [K in FieldName]?: CompletionBody[K] | undefined };

interface Combination {
  readonly param: FieldName;
  readonly reads: readonly FieldName[];
  /** A whole sentence, or null. */
  problem(body: SoundFields): string | null;
}

const maxTokensOf = (body: SoundFields) => body.max_tokens ?? completionFields.max_tokens.default;
const nOf = (body: SoundFields) => body.n ?? completionFields.n.default;

function countPrompts(prompt: CompletionBody["prompt"]): number {
  return typeof prompt === "string" || typeof prompt[0] === "number" ? 1 : prompt.length;
}

const promptsOf = (body: SoundFields) => countPrompts(body.prompt ?? "");

/** -1 asks for some 4 MB an answer's token: one sequence at a time. */
function oneSequence(field: FieldName, body: SoundFields): string | null {
  if (promptsOf(body) === 1 && nOf(body) === 1) return null;
  return `\`${field}: -1\` takes one prompt and \`n\` 1: the whole vocabulary is some megabytes a token.`;
}

const combinations: readonly Combination[] = [
  {
    param: "max_tokens",
    reads: ["max_tokens", "echo"],
    problem: (body) =>
      maxTokensOf(body) === 0 && body.echo !== true
        ? "`max_tokens` can be 0 only with `echo: true`, which then returns the prompt alone."
        : null,
  },
  {
    param: "n",
    reads: ["n", "temperature"],
    problem: (body) =>
      nOf(body) > 1 && body.temperature === 0
        ? "`n` must be 1 at `temperature: 0`: greedy choices would all be the same."
        : null,
  },
  {
    param: "n",
    reads: ["n", "prompt"],
    problem: (body) => {
      const choices = promptsOf(body) * nOf(body);
      return choices > limits.choices
        ? `Prompts × \`n\` is ${choices}; one request has at most ${limits.choices} choices.`
        : null;
    },
  },
  {
    param: "min_tokens",
    reads: ["min_tokens", "max_tokens"],
    problem: (body) =>
      (body.min_tokens ?? 0) > maxTokensOf(body)
        ? `\`min_tokens\` is ${body.min_tokens}, above \`max_tokens\`, which is ${maxTokensOf(body)}${body.max_tokens === undefined ? " by default" : ""}.`
        : null,
  },
  {
    param: "logprobs",
    reads: ["logprobs", "return_tokens_as_token_ids"],
    problem: (body) =>
      body.logprobs === -1 && body.return_tokens_as_token_ids !== true
        ? "`logprobs: -1` needs `return_tokens_as_token_ids: true`: several tokens have the same text, and as keys of one map they would overwrite each other."
        : null,
  },
  {
    param: "logprobs",
    reads: ["logprobs", "prompt", "n"],
    problem: (body) => (body.logprobs === -1 ? oneSequence("logprobs", body) : null),
  },
  {
    param: "logprobs",
    reads: ["logprobs", "stream"],
    problem: (body) =>
      body.logprobs === -1 && body.stream === true
        ? "`logprobs: -1` cannot be streamed; send it without `stream`."
        : null,
  },
  {
    param: "prompt_logprobs",
    reads: ["prompt_logprobs", "stream"],
    problem: (body) =>
      body.prompt_logprobs !== undefined && body.stream === true
        ? "`prompt_logprobs` cannot be streamed; send it without `stream`."
        : null,
  },
  {
    param: "prompt_logprobs",
    reads: ["prompt_logprobs", "prompt", "n"],
    problem: (body) => (body.prompt_logprobs === -1 ? oneSequence("prompt_logprobs", body) : null),
  },
  {
    param: "logprob_token_ids",
    reads: ["logprob_token_ids", "logprobs"],
    problem: (body) =>
      body.logprob_token_ids !== undefined && body.logprobs === undefined
        ? "`logprob_token_ids` needs `logprobs`; `logprobs: 0` is enough."
        : null,
  },
  {
    param: "logprob_token_ids",
    reads: ["logprob_token_ids", "max_tokens", "echo"],
    problem: (body) =>
      body.logprob_token_ids !== undefined && body.echo === true && maxTokensOf(body) === 0
        ? "`logprob_token_ids` scores what is generated; with `max_tokens: 0` that is nothing."
        : null,
  },
  {
    param: "stream_options",
    reads: ["stream_options", "stream"],
    problem: (body) =>
      body.stream_options !== undefined && body.stream !== true
        ? "`stream_options` needs `stream: true`."
        : null,
  },
];

export function combinationProblems(body: SoundFields, wrong: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  for (const { param, reads, problem } of combinations) {
    if (reads.some((field) => wrong.has(field))) continue;
    const message = problem(body);
    if (message !== null) problems.push({ param, message });
  }
  return problems;
}
