import type { Context } from "hono";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";

/** Chat, responses and embeddings: says what to call instead. */
export function refuseChat(c: Context<AppEnv>): Response {
  const { origin } = new URL(c.req.url);
  throw new Refused({
    code: "chat_unsupported",
    message:
      "Base models have no chat template: they continue text. Call POST " +
      `${origin}/v1/completions with {"model": "…", "prompt": "…", "max_tokens": 64}, or ` +
      'client.completions.create(model="…", prompt="…") in the OpenAI SDK.',
  });
}
