import type { Context } from "hono";
import type { AppEnv } from "../../environment.ts";
import { appOrigin } from "../guard.ts";

/** The three lines of Python that use this deployment, with the first Model there is. */
export function codeLines(c: Context<AppEnv>, key: string): string {
  const model = c.get("services").models.keys().next().value ?? "model";
  return [
    "from openai import OpenAI",
    `client = OpenAI(base_url="${appOrigin(c)}/v1", api_key="${key}")`,
    `print(client.completions.create(model="${model}", prompt="Call me", max_tokens=24).choices[0].text)`,
  ].join("\n");
}
