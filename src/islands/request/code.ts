// The call that a page makes, as somebody would write it. Pure: the body in, text out.
import type { Fields } from "../api/client.ts";

export type Language = "python" | "typescript" | "curl";

/** What the OpenAI SDKs have arguments for; the rest goes beside them. */
const sdkFields: readonly string[] = [
  ..."model prompt max_tokens temperature top_p n logprobs echo stop seed stream".split(" "),
  ..."presence_penalty frequency_penalty logit_bias user stream_options".split(" "),
];

export function codeOf(language: Language, origin: string, body: Fields): string {
  const entries = Object.entries(body);
  const own = entries.filter(([name]) => isOfSdk(name));
  const others = entries.filter(([name]) => !isOfSdk(name));
  switch (language) {
    case "python":
      return python(origin, own, others);
    case "typescript":
      return typescript(origin, own, others);
    case "curl":
      return curl(origin, body);
  }
}

export function isOfSdk(field: string): boolean {
  return sdkFields.includes(field);
}

type Entries = readonly [string, unknown][];

function python(origin: string, own: Entries, others: Entries): string {
  const extra = others.map(([name, value]) => `        "${name}": ${pythonOf(value)},`);
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${origin}/v1", api_key="YOUR_API_KEY")`,
    "stream = client.completions.create(",
    ...own.map(([name, value]) => `    ${name}=${pythonOf(value)},`),
    ...(extra.length === 0 ? [] : ["    extra_body={", ...extra, "    },"]),
    ")",
    "for chunk in stream:",
    '    print(chunk.choices[0].text, end="")',
  ].join("\n");
}

function typescript(origin: string, own: Entries, others: Entries): string {
  const line = ([name, value]: readonly [string, unknown]) =>
    `  ${name}: ${JSON.stringify(value)},`;
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "YOUR_API_KEY" });`,
    ...(others.length === 0 ? [] : ["const more = {", ...others.map(line), "};"]),
    "const stream = await client.completions.create({",
    ...own.map((entry) => (entry[0] === "stream" ? "  stream: true," : line(entry))),
    ...(others.length === 0 ? [] : ["  ...more,"]),
    "});",
    'for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.text ?? "");',
  ].join("\n");
}

function curl(origin: string, body: Fields): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return [
    `curl -N ${origin}/v1/completions \\`,
    '  -H "authorization: Bearer YOUR_API_KEY" \\',
    '  -H "content-type: application/json" \\',
    `  -d '${json}'`,
  ].join("\n");
}

/** A JSON string is a Python string too, but for the three words. */
export function pythonOf(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${pythonOf(v)}`);
    return `{${pairs.join(", ")}}`;
  }
  return JSON.stringify(value);
}
