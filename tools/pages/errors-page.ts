// docs/reference/errors.md: a heading for each code, since each error's message links to it. Pure.
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { code, head, table } from "./markdown.ts";

const retryWords = {
  yes: "`true`",
  no: "`false`",
  sometimes: "`true` or `false`",
  "by status": "",
};

/** The page that says more, where there is one. */
const explained: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_api_key: "../how-to/revoke-a-key.md",
  account_disabled: "../start/get-help.md",
  chat_unsupported: "../explanations/no-chat-template.md",
  invalid_request: "../explanations/why-the-api-is-strict.md",
  model_not_found: "models.md",
  context_length_exceeded: "limits.md",
  whole_vocabulary_too_large: "../how-to/get-the-whole-vocabulary.md",
  request_too_large: "limits.md",
  rate_limited: "../how-to/handle-429-errors.md",
  budget_exceeded: "../explanations/near-the-end-of-your-tokens.md",
  spend_cap: "../explanations/spend-limit.md",
  internal_error: "../start/get-help.md",
  inference_failed: "../explanations/what-a-completion-costs.md",
  model_starting: "../explanations/warm-and-cold-models.md",
  inference_overloaded: "../explanations/warm-and-cold-models.md",
};

export function errorsPage(): string {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const summary = codes.map((name) => {
    const { status, type, retry } = errorCatalogue[name];
    return [`[${code(name)}](#${name})`, `${status}`, code(type), retryWords[retry]];
  });
  const sections = codes.map((name) => {
    const { status, when, remedy } = errorCatalogue[name];
    const more = explained[name];
    const link = more === undefined ? "" : ` [More about it](${more}).`;
    return `## ${name}\n\nHTTP ${status}. ${when}\n\n**What to do:** ${remedy}${link}\n`;
  });
  return `${head("src/contract/errors.ts", "status, codes, failure, exception, retry, 400, 401, 429, 503")}
# Errors

Every error is \`{"error": {"message", "type", "param", "code"}}\`. The message says what happened and
what to do; \`param\` names the first field that is wrong, or is null. \`budget_exceeded\` has
\`error.budget\` too. Where \`x-should-retry\` is empty, OpenAI's SDKs go by the status: they repeat 408,
409, 429 and 5xx twice. Where several would apply, the first in this table is answered. Inside a stream
that has begun, an error comes as an event ([Stream](../how-to/stream.md)).

${table(["Code", "HTTP", "Type", "`x-should-retry`"], summary)}

${sections.join("\n")}`;
}
