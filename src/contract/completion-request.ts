// From an unknown JSON body to a request with every default in its place, or to all that is wrong
// with it at once. Nothing is clamped, dropped or guessed.
import { combinationProblems } from "./completion-combinations.ts";
import { completionFields, type FieldName, fieldNames } from "./completion-fields.ts";
import { type CompletionBody, completionSchema } from "./completion-schema.ts";
import { checkPrompt } from "./completion-shapes.ts";
import { didYouMean } from "./did-you-mean.ts";
import { describeValue, type Problem } from "./problems.ts";
import { refusalOfField } from "./refused-fields.ts";
import { requestLimits as limits } from "./request-limits.ts";

type Prompts =
  | { readonly kind: "text"; readonly texts: readonly string[] }
  | { readonly kind: "ids"; readonly ids: readonly (readonly number[])[] };

/** How the client wrote the prompt, so that the backend gets the same shape. */
type PromptShape = "string" | "strings" | "ids" | "id-lists";

/** Booleans that are sent to the backend only when given; each has its default there. */
export const flagFields = [
  "include_stop_str_in_output",
  "ignore_eos",
  "skip_special_tokens",
  "spaces_between_special_tokens",
  "add_special_tokens",
  "return_token_ids",
  "return_tokens_as_token_ids",
  "echo",
] as const satisfies readonly FieldName[];

/** A request that is right by itself; whether the Model can serve it is core/completion-rules.ts. */
export interface CompletionRequest {
  readonly model: string;
  readonly prompts: Prompts;
  readonly promptShape: PromptShape;
  /** For each choice; 0 only with echo. */
  readonly maxTokens: number;
  readonly minTokens?: number | undefined;
  readonly n: number;
  readonly temperature: number;
  readonly topP: number;
  /** 0 is off; a -1 of the client has become 0. */
  readonly topK: number;
  readonly minP: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly repetitionPenalty: number;
  readonly seed?: number | undefined;
  readonly stop?: string | readonly string[] | undefined;
  readonly stopTokenIds?: readonly number[] | undefined;
  /** -1 is the whole vocabulary, here and in `promptLogprobs`. */
  readonly logprobs?: number | undefined;
  readonly promptLogprobs?: number | undefined;
  readonly logprobTokenIds?: readonly number[] | undefined;
  readonly logitBias?: Readonly<Record<string, number>> | undefined;
  readonly allowedTokenIds?: readonly number[] | undefined;
  readonly badWords?: readonly string[] | undefined;
  readonly stream: boolean;
  /** The client asked for the last chunk with the usage. */
  readonly includeUsage: boolean;
  /** The client asked for the usage so far in each chunk; as in vLLM only with `includeUsage`. */
  readonly continuousUsage: boolean;
  readonly echo: boolean;
  readonly flags: Readonly<Partial<Record<(typeof flagFields)[number], boolean>>>;
  readonly user?: string | undefined;
}

export type ParsedCompletion =
  | { ok: true; request: CompletionRequest }
  | { ok: false; problems: Problem[] };

const partialSchema = completionSchema.partial();
const requiredFields: ReadonlySet<string> = new Set(["model", "prompt"]);

/** Problems in order: names, then fields as the table has them, then combinations. */
export function parseCompletionRequest(body: unknown): ParsedCompletion {
  if (!isObject(body)) {
    const message = `The body must be a JSON object, not ${describeBody(body)}.`;
    return { ok: false, problems: [{ param: null, message }] };
  }
  const { given, problems } = sortFields(body);
  const parsed = completionSchema.safeParse(given);
  const wrong = new Set<string>();
  for (const { param, message } of parsed.success ? [] : fieldProblems(given, parsed.error)) {
    wrong.add(param);
    delete given[param];
    problems.push({ param, message });
  }
  const sound = parsed.success ? parsed.data : partialSchema.parse(given);
  problems.push(...combinationProblems(sound, wrong));
  if (parsed.success && problems.length === 0) {
    return { ok: true, request: normalise(parsed.data) };
  }
  return { ok: false, problems };
}

/**
 * What `parseCompletionRequest` makes of the same body with another prompt: with as many members of the
 * same shape, no other field's rule can tell the two apart. Null where only the whole parse can tell.
 */
export function withPrompt(request: CompletionRequest, prompt: unknown): CompletionRequest | null {
  if (checkPrompt(prompt) !== null) return null;
  const other = readPrompt(prompt as CompletionBody["prompt"]);
  if (other.promptShape !== request.promptShape) return null;
  return countMembers(other.prompts) === countMembers(request.prompts)
    ? { ...request, ...other }
    : null;
}

function countMembers(prompts: Prompts): number {
  return (prompts.kind === "ids" ? prompts.ids : prompts.texts).length;
}

function isObject(body: unknown): body is Given {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

/** A body that is no object may be nothing but a prompt: not even a number of it is repeated. */
function describeBody(body: unknown): string {
  return typeof body === "number" ? "a number" : describeValue(body);
}

type Given = Partial<Record<string, unknown>>;

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(completionFields, name);
}

function sortFields(body: Given): { given: Given; problems: Problem[] } {
  const given: Given = {};
  const problems: Problem[] = [];
  let unnamed = 0;
  for (const name of Object.keys(body)) {
    if (isFieldName(name)) {
      if (body[name] !== null) given[name] = body[name];
      continue;
    }
    const refused = refusalOfField(name);
    if (refused?.nullPasses && body[name] === null) continue;
    const repeatable = name.length <= limits.fieldNameCharacters && /^[A-Za-z_][\w.-]*$/.test(name);
    if (!repeatable || problems.length === limits.namedUnknownFields) unnamed++;
    else problems.push({ param: name, message: nameProblem(name, refused?.why) });
  }
  if (unnamed > 0) {
    const others = problems.length > 0 ? "more " : "";
    const message = `${unnamed} ${others}unknown field${unnamed > 1 ? "s" : ""}, not repeated here.`;
    problems.push({ param: null, message });
  }
  return { given, problems };
}

function nameProblem(name: string, why: string | undefined): string {
  if (why !== undefined) return `\`${name}\` is not accepted: ${why}.`;
  const hint = didYouMean(name, fieldNames);
  return hint === null ? `\`${name}\` is not a field.` : `\`${name}\` is not a field; ${hint}`;
}

interface FieldProblem extends Problem {
  param: FieldName;
}

type SchemaError = NonNullable<ReturnType<typeof completionSchema.safeParse>["error"]>;

/** One problem a field, in the table's order. */
function fieldProblems(given: Given, error: SchemaError): FieldProblem[] {
  const firstIssues = new Map<PropertyKey | undefined, SchemaError["issues"][number]>();
  for (const issue of error.issues) {
    const [field] = issue.path;
    if (!firstIssues.has(field)) firstIssues.set(field, issue);
  }
  return fieldNames.flatMap((name) => {
    const issue = firstIssues.get(name);
    return issue === undefined
      ? []
      : [{ param: name, message: sentence(name, given[name], issue) }];
  });
}

function sentence(name: FieldName, value: unknown, issue: SchemaError["issues"][number]): string {
  const { accepts } = completionFields[name];
  if (value === undefined && requiredFields.has(name))
    return `\`${name}\` is required: ${accepts}.`;
  if (issue.code === "custom") return `\`${name}\` ${issue.message}.`;
  if (issue.code === "unrecognized_keys") return `\`${name}\` must be ${accepts}, and no more.`;
  if (issue.path.length > 1) return `\`${name}\` must be ${accepts}.`;
  if (typeof value === "string" && issue.code === "too_big") {
    return `\`${name}\` must be ${accepts}; it has ${value.length}.`;
  }
  return `\`${name}\` must be ${accepts}, not ${describeValue(value)}.`;
}

function readPrompt(
  prompt: CompletionBody["prompt"],
): Pick<CompletionRequest, "prompts" | "promptShape"> {
  if (typeof prompt === "string") {
    return { prompts: { kind: "text", texts: [prompt] }, promptShape: "string" };
  }
  if (isTexts(prompt)) return { prompts: { kind: "text", texts: prompt }, promptShape: "strings" };
  return isIds(prompt)
    ? { prompts: { kind: "ids", ids: [prompt] }, promptShape: "ids" }
    : { prompts: { kind: "ids", ids: prompt }, promptShape: "id-lists" };
}

type PromptList = Exclude<CompletionBody["prompt"], string>;

// The schema has seen every member by now, so the first one tells.
function isTexts(prompt: PromptList): prompt is readonly string[] {
  return typeof prompt[0] === "string";
}

function isIds(prompt: PromptList): prompt is readonly number[] {
  return typeof prompt[0] === "number";
}

function normalise(body: CompletionBody): CompletionRequest {
  const includeUsage = body.stream_options?.include_usage === true;
  const flags: Partial<Record<(typeof flagFields)[number], boolean>> = {};
  for (const name of flagFields) if (body[name] !== undefined) flags[name] = body[name];
  const topK = body.top_k ?? completionFields.top_k.default;
  return {
    model: body.model,
    ...readPrompt(body.prompt),
    maxTokens: body.max_tokens ?? completionFields.max_tokens.default,
    minTokens: body.min_tokens,
    n: body.n ?? completionFields.n.default,
    temperature: body.temperature ?? completionFields.temperature.default,
    topP: body.top_p ?? completionFields.top_p.default,
    topK: topK === -1 ? 0 : topK,
    minP: body.min_p ?? completionFields.min_p.default,
    presencePenalty: body.presence_penalty ?? completionFields.presence_penalty.default,
    frequencyPenalty: body.frequency_penalty ?? completionFields.frequency_penalty.default,
    repetitionPenalty: body.repetition_penalty ?? completionFields.repetition_penalty.default,
    seed: body.seed,
    stop: body.stop,
    stopTokenIds: body.stop_token_ids,
    logprobs: body.logprobs,
    promptLogprobs: body.prompt_logprobs,
    logprobTokenIds: body.logprob_token_ids,
    logitBias: body.logit_bias,
    allowedTokenIds: body.allowed_token_ids,
    badWords: body.bad_words,
    stream: body.stream ?? completionFields.stream.default,
    includeUsage,
    continuousUsage: includeUsage && body.stream_options?.continuous_usage_stats === true,
    echo: body.echo ?? completionFields.echo.default,
    flags,
    user: body.user,
  };
}
