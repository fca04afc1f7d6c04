// The one table of errors. Responses, OpenAPI and docs/reference/errors.md come from it, so a code
// cannot mean two things. The order is the order of precedence where several would apply.

/** What both OpenAI SDKs do with `x-should-retry`: obey it first; absent, they go by the status. */
type Retry = "yes" | "no" | "sometimes" | "by status";

interface ErrorRow {
  readonly status: number;
  readonly type: string;
  readonly retry: Retry;
  /** When it happens and what to do, one sentence each, for the docs page. */
  readonly when: string;
  readonly remedy: string;
}

export const errorCatalogue = {
  invalid_api_key: {
    status: 401,
    type: "authentication_error",
    retry: "by status",
    when: "The key is missing, malformed, unknown, expired or revoked.",
    remedy: "Send `Authorization: Bearer <API key>` with a key that is valid now.",
  },
  invalid_signature: {
    status: 401,
    type: "authentication_error",
    retry: "by status",
    when: "A webhook's signature is missing or wrong, or its time is too far off.",
    remedy: "Compare the sender's secret and clock with the service's.",
  },
  account_disabled: {
    status: 403,
    type: "permission_error",
    retry: "by status",
    when: "An admin or a webhook disabled the person whose key this is.",
    remedy: "Ask an admin.",
  },
  admin_required: {
    status: 403,
    type: "permission_error",
    retry: "by status",
    when: "The key has no admin scope, or its person is no Admin.",
    remedy: "Use an admin key for `/v1/admin/*`.",
  },
  not_found: {
    status: 404,
    type: "invalid_request_error",
    retry: "by status",
    when: "There is no such route or object.",
    remedy: "Compare the path with the API reference.",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    retry: "by status",
    when: "The route exists, but not with this method.",
    remedy: "Use a method that the `allow` header names.",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    retry: "by status",
    when: "The body is not of the type that the route reads.",
    remedy: "Send the `content-type` that the message names, mostly `application/json`.",
  },
  request_too_large: {
    status: 413,
    type: "invalid_request_error",
    retry: "by status",
    when: "The body has more bytes than a request may have.",
    remedy: "Split the request, or send it as a Job.",
  },
  range_not_satisfiable: {
    status: 416,
    type: "invalid_request_error",
    retry: "by status",
    when: "The `range` begins behind the end of what there is.",
    remedy:
      "Ask from a byte that exists; `content-range` has the size. Results of a Job grow while it runs.",
  },
  chat_unsupported: {
    status: 400,
    type: "invalid_request_error",
    retry: "by status",
    when: "A chat, responses or embeddings route was called; base models have no chat template.",
    remedy: "Call `POST /v1/completions` with a `prompt`.",
  },
  invalid_request: {
    status: 400,
    type: "invalid_request_error",
    retry: "by status",
    when: "The body is no JSON, or a field is unknown, of a wrong type, out of range or in conflict.",
    remedy: "Mend what the message lists; `param` names the first.",
  },
  model_not_found: {
    status: 404,
    type: "invalid_request_error",
    retry: "by status",
    when: "No Model has this id.",
    remedy: "Use one of the ids that the message and `GET /v1/models` list.",
  },
  context_length_exceeded: {
    status: 400,
    type: "invalid_request_error",
    retry: "by status",
    when: "The prompt's tokens plus `max_tokens` are more than the Model's `max_model_len`.",
    remedy: "Shorten the prompt or lower `max_tokens`.",
  },
  whole_vocabulary_too_large: {
    status: 400,
    type: "invalid_request_error",
    retry: "by status",
    when: "`prompt_logprobs: -1` was asked for a prompt longer than the Model's cap.",
    remedy: "Split the prompt; the message has the cap and the measured count.",
  },
  idempotency_conflict: {
    status: 409,
    type: "invalid_request_error",
    retry: "no",
    when: "The same id was used before with other content.",
    remedy: "Repeat the same content, or use a new id.",
  },
  conflict: {
    status: 409,
    type: "invalid_request_error",
    retry: "no",
    when: "What is there now rules it out: a request that is decided, or another one that is open.",
    remedy: "Look at how it stands now; the message says what came before.",
  },
  rate_limited: {
    status: 429,
    type: "rate_limit_error",
    retry: "yes",
    when: "Too many starts a minute, too many of your Completions or Jobs under way already, or too many failures from your network.",
    remedy: "Wait as long as `retry-after-ms` says; the SDKs do so by themselves.",
  },
  budget_exceeded: {
    status: 429,
    type: "insufficient_quota",
    retry: "sometimes",
    when: "The tokens that are available cannot hold one token for each choice.",
    remedy:
      "Ask for more tokens, or shorten the request. `error.budget` has the figures: yours, or those of the key's month where its limit is the narrower. A retry is asked for only while your own running requests hold enough.",
  },
  spend_cap: {
    status: 429,
    type: "insufficient_quota",
    retry: "no",
    when: "The Spend limit of the month is reached; new GPU work is paused.",
    remedy: "Wait until the message's date, or ask an admin to raise it.",
  },
  internal_error: {
    status: 500,
    type: "server_error",
    retry: "by status",
    when: "A defect of ours.",
    remedy: "Try again; report the `x-request-id` if it stays.",
  },
  inference_failed: {
    status: 502,
    type: "server_error",
    retry: "by status",
    when: "The backend failed, or broke off, before a complete answer.",
    remedy: "Try again; tokens that you did not receive are not charged.",
  },
  model_starting: {
    status: 503,
    type: "server_error",
    retry: "yes",
    when: "The Model is Cold and still starting.",
    remedy: "Try again; the SDKs do so by themselves.",
  },
  inference_overloaded: {
    status: 503,
    type: "server_error",
    retry: "yes",
    when: "The backend refused the work because of its load.",
    remedy: "Try again after `retry-after`.",
  },
  inference_timeout: {
    status: 504,
    type: "server_error",
    retry: "by status",
    when: "The backend did not connect, start or go on in time.",
    remedy: "Try again, with fewer tokens a request if it repeats.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/** The figures that let a person check `budget_exceeded` by hand, in tokens. */
export interface BudgetFigures {
  granted: number;
  spent: number;
  held: number;
  available: number;
  needed: number;
}

/** A refusal as the outside sees it, before it becomes a response. */
export interface PublicError {
  code: ErrorCode;
  message: string;
  param?: string | null;
  budget?: BudgetFigures;
  /** Sets `retry-after-ms` and `retry-after`. */
  retryAfterMs?: number;
  /** Only for codes whose retry is "sometimes". */
  shouldRetry?: boolean;
}
