// docs/reference/fields.md. Pure: the contract's tables in, Markdown out.
import { completionFields, fieldGroups, fieldNames } from "../../src/contract/completion-fields.ts";
import { refusedFields } from "../../src/contract/refused-fields.ts";
import { capital, code, head, table } from "./markdown.ts";

export function fieldsPage(): string {
  const groups = fieldGroups.map((group) => {
    const names = fieldNames.filter((name) => completionFields[name].group === group);
    const rows = names.map((name) => {
      const { accepts, default: initial, sent, notes } = completionFields[name];
      return [
        code(name),
        capital(accepts),
        initial === null ? "" : code(`${initial}`),
        sent,
        notes,
      ];
    });
    return `## ${group}\n\n${table(["Field", "Accepts", "Default", "Sent to the backend", "Notes"], rows)}\n`;
  });
  const refused = Object.entries(refusedFields);
  const nulls = refused.filter(([, field]) => field.nullPasses).map(([name]) => code(name));
  return `${head(
    "src/contract/completion-fields.ts and refused-fields.ts",
    "parameters, arguments, options, body, temperature, top_p, request",
  )}
# Fields of a Completion

What the body of \`POST /v1/completions\` may have. A field that is not on this page is refused, and so
is a value outside what is accepted: nothing is clamped or ignored
([why](../explanations/why-the-api-is-strict.md)). Types are exact: \`"5"\` and \`true\` are no numbers,
\`5.0\` is 5. \`null\` means absent for every optional field. One answer names all that is wrong with a
body. Fields that OpenAI's SDK does not know go [through \`extra_body\`](../how-to/send-vllm-fields.md).

${groups.join("\n")}
## Refused by name

Fields that OpenAI's API or vLLM know. ${nulls.join(" and ")} may be null, since old SDKs send them so.
Every other name that begins with \`guided_\` is refused like those here.

${table(
  ["Field", "Why"],
  refused.map(([name, { why }]) => [code(name), capital(why)]),
)}
`;
}
