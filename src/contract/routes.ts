// Every route of the API in one table. The Worker mounts from it, OpenAPI is generated from it, and
// a test walks it to see that none skips the key check or the admission.

/** `account` routes need a key, `admin` ones a key with the admin scope, `signed` ones a webhook's signature. */
type Access = "open" | "account" | "admin" | "signed";

export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** In OpenAPI's form, `{id}` for a parameter. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
}

export const routes = [
  { method: "GET", path: "/health", access: "open", summary: "Whether the Worker answers" },
  { method: "GET", path: "/openapi.json", access: "open", summary: "This API's description" },
  {
    method: "POST",
    path: "/webhooks/inference",
    access: "signed",
    summary: "A container reports itself, signed as Standard Webhooks say",
  },
  {
    method: "POST",
    path: "/webhooks/keys",
    access: "signed",
    summary: "A key leaked or a person left, signed as Standard Webhooks say",
  },
  {
    method: "POST",
    path: "/webhooks/github/secret-scanning",
    access: "signed",
    summary: "GitHub has found keys, signed as its secret scanning programme says",
  },
  { method: "POST", path: "/v1/completions", access: "account", summary: "Continue text" },
  { method: "GET", path: "/v1/models", access: "account", summary: "List the Models" },
  { method: "GET", path: "/v1/models/{id}", access: "account", summary: "Show one Model" },
  { method: "POST", path: "/v1/tokenize", access: "account", summary: "Text to token ids" },
  { method: "POST", path: "/v1/detokenize", access: "account", summary: "Token ids to text" },
  { method: "POST", path: "/v1/jobs", access: "account", summary: "Submit a Job" },
  { method: "GET", path: "/v1/jobs", access: "account", summary: "List Jobs, newest first" },
  { method: "GET", path: "/v1/jobs/{id}", access: "account", summary: "Show a Job" },
  {
    method: "DELETE",
    path: "/v1/jobs/{id}",
    access: "account",
    summary: "Remove a Job that has ended, with input and results",
  },
  { method: "POST", path: "/v1/jobs/{id}/cancel", access: "account", summary: "Cancel a Job" },
  {
    method: "GET",
    path: "/v1/jobs/{id}/results",
    access: "account",
    summary: "A Job's results so far, as lines, by range if asked",
  },
  { method: "POST", path: "/v1/files", access: "account", summary: "Upload a batch's lines" },
  { method: "GET", path: "/v1/files", access: "account", summary: "List uploads, newest first" },
  { method: "GET", path: "/v1/files/{id}", access: "account", summary: "Show a file" },
  { method: "DELETE", path: "/v1/files/{id}", access: "account", summary: "Remove an upload" },
  {
    method: "GET",
    path: "/v1/files/{id}/content",
    access: "account",
    summary: "A file's content: an upload, or a batch's output or errors",
  },
  { method: "POST", path: "/v1/batches", access: "account", summary: "Run an upload as a batch" },
  { method: "GET", path: "/v1/batches", access: "account", summary: "List batches, newest first" },
  { method: "GET", path: "/v1/batches/{id}", access: "account", summary: "Show a batch" },
  {
    method: "POST",
    path: "/v1/batches/{id}/cancel",
    access: "account",
    summary: "Cancel a batch",
  },
  { method: "GET", path: "/v1/account", access: "account", summary: "Tokens, limits and this key" },
  {
    method: "GET",
    path: "/v1/usage",
    access: "account",
    summary: "Tokens and requests by day, model and key",
  },
  { method: "GET", path: "/v1/admin/people", access: "admin", summary: "List people" },
  { method: "POST", path: "/v1/admin/people", access: "admin", summary: "Add a person" },
  {
    method: "GET",
    path: "/v1/admin/people/{id}",
    access: "admin",
    summary: "Show a person with tokens and usage",
  },
  {
    method: "PATCH",
    path: "/v1/admin/people/{id}",
    access: "admin",
    summary: "Change role, limits or disabled",
  },
  {
    method: "POST",
    path: "/v1/admin/people/{id}/invite",
    access: "admin",
    summary: "Invite a person again who has not signed in",
  },
  {
    method: "POST",
    path: "/v1/admin/people/{id}/grants",
    access: "admin",
    summary: "Grant tokens",
  },
  { method: "GET", path: "/v1/admin/people/{id}/keys", access: "admin", summary: "List keys" },
  { method: "POST", path: "/v1/admin/people/{id}/keys", access: "admin", summary: "Mint a key" },
  {
    method: "PATCH",
    path: "/v1/admin/keys/{id}",
    access: "admin",
    summary: "Rename a key, set its limit or expiry",
  },
  {
    method: "POST",
    path: "/v1/admin/keys/{id}/revoke",
    access: "admin",
    summary: "Revoke a key",
  },
  {
    method: "GET",
    path: "/v1/admin/token-requests",
    access: "admin",
    summary: "List Token requests, newest first",
  },
  {
    method: "POST",
    path: "/v1/admin/token-requests/{id}/approve",
    access: "admin",
    summary: "Approve a Token request with a Grant",
  },
  {
    method: "POST",
    path: "/v1/admin/token-requests/{id}/reject",
    access: "admin",
    summary: "Reject a Token request with a note",
  },
  {
    method: "GET",
    path: "/v1/admin/spend",
    access: "admin",
    summary: "What GPUs cost this month, and its limit",
  },
  {
    method: "PATCH",
    path: "/v1/admin/spend",
    access: "admin",
    summary: "Set the month's limit, pause or resume",
  },
  {
    method: "GET",
    path: "/v1/admin/models",
    access: "admin",
    summary: "State, containers, starts and cost of each Model",
  },
  {
    method: "POST",
    path: "/v1/admin/models/{id}/wake",
    access: "admin",
    summary: "Start a Model that nobody waits for",
  },
  {
    method: "POST",
    path: "/v1/admin/models/{id}/conformance",
    access: "admin",
    summary: "Say that a Model's revision has passed the conformance suite",
  },
  {
    method: "GET",
    path: "/v1/admin/audit",
    access: "admin",
    summary: "Who did what to whom, newest first",
  },
] as const satisfies readonly Route[];

/** Routes of OpenAI's API that base models cannot serve; each answers `chat_unsupported`. */
export const unsupportedPaths = [
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/embeddings",
] as const;
