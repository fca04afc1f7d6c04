// What the page does, as a loop that somebody would write. Pure: the columns in, text out.
import type { Fields } from "../api/client.ts";
import { isOfSdk, pythonOf } from "../request/code.ts";

export type LoopLanguage = "python" | "typescript";

export interface CodeColumn {
  name: string;
  model: string;
  settings: Fields;
}

export function loopOf(
  language: LoopLanguage,
  origin: string,
  prompt: string,
  columns: readonly CodeColumn[],
): string {
  return language === "python"
    ? python(origin, prompt, columns)
    : typescript(origin, prompt, columns);
}

function python(origin: string, prompt: string, columns: readonly CodeColumn[]): string {
  const fieldsOf = ({ model, settings }: CodeColumn) => {
    const entries = Object.entries(settings);
    const others = entries.filter(([name]) => !isOfSdk(name));
    const own = entries.filter(([name]) => isOfSdk(name));
    const extra = others.length === 0 ? {} : { extra_body: Object.fromEntries(others) };
    return pythonOf({ model, ...Object.fromEntries(own), ...extra });
  };
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${origin}/v1", api_key="YOUR_API_KEY")`,
    `prompt = ${pythonOf(prompt)}`,
    "columns = {",
    ...columns.map((column) => `    "${column.name}": ${fieldsOf(column)},`),
    "}",
    "for name, fields in columns.items():",
    "    completion = client.completions.create(prompt=prompt, **fields)",
    "    choice = completion.choices[0]",
    "    print(name, choice.finish_reason, choice.text)",
  ].join("\n");
}

function typescript(origin: string, prompt: string, columns: readonly CodeColumn[]): string {
  const fieldsOf = ({ model, settings }: CodeColumn) =>
    Object.entries({ model, ...settings })
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(", ");
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "YOUR_API_KEY" });`,
    `const prompt = ${JSON.stringify(prompt)};`,
    "const columns = {",
    ...columns.map((column) => `  ${column.name}: { ${fieldsOf(column)} },`),
    "};",
    "for (const [name, fields] of Object.entries(columns)) {",
    "  const completion = await client.completions.create({ ...fields, prompt });",
    "  const [choice] = completion.choices;",
    '  console.log(name, choice?.finish_reason, choice?.text ?? "");',
    "}",
  ].join("\n");
}
