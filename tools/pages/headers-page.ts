// docs/reference/headers.md. Pure.
import { answerHeaders } from "../../src/contract/headers.ts";
import { capital, code, head, table } from "./markdown.ts";

export function headersPage(): string {
  const rows = Object.entries(answerHeaders).map(([name, { on, means }]) => [
    code(name),
    capital(on),
    means,
  ]);
  return `${head("src/contract/headers.ts", "request id, rate limit, seed, timing, retry-after, latency")}
# Headers

What comes with an answer. A script in a browser may read all of them.

${table(["Header", "On", "Means"], rows)}

## What you send

| Header | Means |
| --- | --- |
| \`authorization\` | \`Bearer\` and your API key, on every route below \`/v1/\` |
| \`content-type\` | \`application/json\`, with every body |

No other header of yours is passed on to the backend.
`;
}
