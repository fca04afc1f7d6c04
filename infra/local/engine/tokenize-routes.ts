// POST /tokenize and POST /detokenize.
import { checkModel } from "./completions-route.ts";
import type { Engine } from "./engine.ts";
import { invalid } from "./errors.ts";
import { parseBody } from "./request.ts";
import { decodeTokens, tokenize, vocabularyText } from "./tokenizer.ts";

export function tokenizeRoute(engine: Engine, bytes: Buffer, contentType?: string): string {
  const body = parseBody(bytes, contentType);
  const { prompt, model, return_token_strs: withTexts } = body;
  if (typeof prompt !== "string") {
    const problem = "{'type': 'string_type', 'loc': ('body', 'prompt')}";
    throw invalid([problem], "body.prompt");
  }
  checkModel(engine, typeof model === "string" ? model : undefined);
  const tokens = tokenize(prompt);
  return JSON.stringify({
    count: tokens.length,
    max_model_len: engine.entry.max_model_len,
    tokens,
    token_strs: withTexts === true ? tokens.map(vocabularyText) : null,
  });
}

export function detokenizeRoute(engine: Engine, bytes: Buffer, contentType?: string): string {
  const { tokens, model } = parseBody(bytes, contentType);
  const isId = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
  if (!Array.isArray(tokens) || !tokens.every(isId)) {
    throw invalid(["{'type': 'list_type', 'loc': ('body', 'tokens')}"], "body.tokens");
  }
  checkModel(engine, typeof model === "string" ? model : undefined);
  return JSON.stringify({ prompt: decodeTokens(tokens as number[]) });
}
