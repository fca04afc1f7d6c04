// The reference pages, from the contract's tables. Pure: data in, Markdown out.
import { completionFields, fieldGroups, fieldNames } from "../src/contract/completion-fields.ts";
import { type ErrorCode, errorCatalogue } from "../src/contract/errors.ts";
import { refusedFields } from "../src/contract/refused-fields.ts";

const generated = (source: string) =>
  `<!-- Generated from ${source} by \`npm run generate\`; edit that, not this page. -->`;

const row = (...cells: string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const heading = (...names: string[]) => [row(...names), row(...names.map(() => "---"))];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function fieldsPage(): string {
  const lines = [
    generated("src/contract/completion-fields.ts and refused-fields.ts"),
    "",
    "# Fields of `POST /v1/completions`",
    "",
    "A field that is not on this page is refused, and so is a value outside what is accepted:",
    'nothing is clamped or ignored. Types are exact: `"5"` and `true` are no numbers, `5.0` is 5.',
    "`null` means absent for every optional field. One answer names all that is wrong with a body.",
  ];
  for (const group of fieldGroups) {
    const head = heading("Field", "Accepts", "Default", "Sent to the backend", "Notes");
    lines.push("", `## ${group}`, "", ...head);
    for (const name of fieldNames) {
      const field = completionFields[name];
      if (field.group !== group) continue;
      const initial = field.default === null ? "" : `\`${field.default}\``;
      lines.push(row(`\`${name}\``, capital(field.accepts), initial, field.sent, field.notes));
    }
  }
  const nulls = Object.entries(refusedFields).filter(([, field]) => field.nullPasses);
  const nullNames = nulls.map(([name]) => `\`${name}\``).join(" and ");
  lines.push(
    "",
    "## Refused by name",
    "",
    `Fields that OpenAI's API or vLLM know. ${nullNames} may be null, since old SDKs send them so.`,
    "Every other name that begins with `guided_` is refused like those here.",
    "",
    ...heading("Field", "Why"),
    ...Object.entries(refusedFields).map(([name, { why }]) => row(`\`${name}\``, capital(why))),
  );
  return `${lines.join("\n")}\n`;
}

const retryWords = {
  yes: "`true`",
  no: "`false`",
  sometimes: "`true` or `false`",
  "by status": "",
};

export function errorsPage(): string {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const head = heading("Code", "HTTP", "Type", "`x-should-retry`", "When", "What to do");
  return `${[
    generated("src/contract/errors.ts"),
    "",
    "# Errors",
    "",
    'Every error is `{"error": {"message", "type", "param", "code"}}`. The message says what',
    "happened and what to do; `param` names the first field that is wrong, or is null.",
    "`budget_exceeded` has `error.budget` too. Where `x-should-retry` is empty, OpenAI's SDKs go by",
    "the status: they repeat 408, 409, 429 and 5xx twice. Where several would apply, the first in",
    "this table is answered.",
    "",
    ...head,
    ...codes.map((code) => {
      const { status, type, retry, when, remedy } = errorCatalogue[code];
      return row(`\`${code}\``, `${status}`, `\`${type}\``, retryWords[retry], when, remedy);
    }),
  ].join("\n")}\n`;
}
