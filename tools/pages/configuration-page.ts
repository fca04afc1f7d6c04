// docs/operate/configuration.md, from the schema that the Worker parses its configuration with.
import { z } from "zod";
import { Backend, Configuration, parseConfiguration } from "../../src/contract/configuration.ts";
import { commentsOf } from "../source-comments.ts";
import { code, head, table } from "./markdown.ts";

const SCHEMA = "src/contract/configuration.ts";

export function configurationPage(read: (file: string) => string): string {
  const meanings = commentsOf(read(SCHEMA));
  const secret = "x".repeat(32);
  const defaults = parseConfiguration({
    ...{ KEY_CHECK_SECRETS: secret, CACHE_SALT_SECRET: secret, BACKENDS: "{}" },
  });
  const backend = Backend.parse({ url: "https://vllm.example.org" });
  return `${head(SCHEMA, "environment variables, settings, secrets, env, oidc, support contact")}
# Configuration

What the Worker reads when it starts, as secrets or variables of the deployment
([Deploy](deploy.md)). A missing or wrong one fails by its name.

${table(["Name", "Must be set", "If absent", "Is"], rowsOf(Configuration, meanings, defaults))}

## A Model's backend

\`BACKENDS\` is one JSON object: by the Model's id, where its vLLM answers.

\`\`\`json
{"llama-3.1-8b": {"url": "https://vllm.example.org", "api_key": "a long random key"}}
\`\`\`

${table(["Name", "Must be set", "If absent", "Is"], rowsOf(Backend, meanings, backend))}
`;
}

/** `least` is what comes of nothing but what must be set: it has the defaults. */
function rowsOf(
  schema: z.ZodType,
  meanings: ReadonlyMap<string, string>,
  least: Readonly<Record<string, unknown>>,
): string[][] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.keys(properties).map((name) => {
    const means = meanings.get(name);
    if (means === undefined) throw new Error(`${SCHEMA}: ${name} has no comment`);
    const isRequired = required.includes(name);
    const initial = isRequired ? undefined : least[name];
    const isSet = initial !== undefined && String(initial) !== "";
    return [code(name), isRequired ? "yes" : "", isSet ? code(String(initial)) : "", means];
  });
}
