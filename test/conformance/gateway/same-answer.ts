// The same request to gateway and engine: the bytes of `choices` must be the same, and the usage.
import type { Chunk } from "../answers.ts";
import type { Check } from "../case.ts";
import type { Body, Target } from "../target.ts";

export interface Pair {
  readonly gateway: Target;
  readonly engine: Target;
}

/** OpenAI's defaults and those that vLLM's own fields have, which the gateway sends explicitly. */
export const defaults: Body = {
  max_tokens: 16,
  temperature: 1,
  top_p: 1,
  top_k: 0,
  min_p: 0,
  presence_penalty: 0,
  frequency_penalty: 0,
  repetition_penalty: 1,
  n: 1,
};

/** What asks the engine for what `body` asks the gateway for. */
export function explicitly(body: Body, engine: Target): Body {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const explicit: Record<string, unknown> = { ...defaults, ...Object.fromEntries(given) };
  if (explicit.logprobs === -1) explicit.logprobs = engine.wholeVocabulary;
  if (explicit.top_k === -1) explicit.top_k = 0;
  delete explicit.user;
  if (explicit.stream === true) {
    explicit.stream_options = { include_usage: true, continuous_usage_stats: true };
  }
  return explicit;
}

/** `body` needs a seed. With `stream: true` the chunks are compared, choice by choice. */
export async function checkSame(check: Check, pair: Pair, body: Body, at: string): Promise<void> {
  await check.tries(at, () =>
    body.stream === true ? checkStream(check, pair, body, at) : checkPlain(check, pair, body, at),
  );
}

async function checkPlain(check: Check, { gateway, engine }: Pair, body: Body, at: string) {
  const [ours, theirs] = await Promise.all([
    gateway.complete(body),
    engine.complete(explicitly(body, engine)),
  ]);
  check.sameBytes(ours.members.get("choices"), theirs.members.get("choices"), `${at}: choices`);
  check.sameBytes(ours.members.get("usage"), theirs.members.get("usage"), `${at}: usage`);
}

async function checkStream(check: Check, { gateway, engine }: Pair, body: Body, at: string) {
  const asked = { stream_options: { include_usage: true }, ...body };
  const [ours, theirs] = await Promise.all([
    gateway.stream(asked),
    engine.stream(explicitly(body, engine)),
  ]);
  const [our, their] = [byChoice(ours.chunks), byChoice(theirs.chunks)];
  check.same([...our.keys()].sort(), [...their.keys()].sort(), `${at}: indexes`);
  for (const [index, chunks] of their) {
    // Newlines keep the borders: no JSON has one unescaped.
    const [mine, engines] = [joined(our.get(index) ?? []), joined(chunks)];
    check.sameBytes(mine, engines, `${at}: chunks of choice ${index}`);
  }
  const usage = (chunks: readonly Chunk[]) => chunks.at(-1)?.members.get("usage");
  check.sameBytes(usage(ours.chunks), usage(theirs.chunks), `${at}: usage`);
}

/** Which choice has its next token first is chance; the order within one is not. */
function byChoice(chunks: readonly Chunk[]): Map<number, Buffer[]> {
  const choices = new Map<number, Buffer[]>();
  for (const { choice, members } of chunks) {
    const bytes = members.get("choices");
    if (choice === null || bytes === undefined) continue;
    const before = choices.get(choice.index);
    if (before === undefined) choices.set(choice.index, [bytes]);
    else before.push(bytes);
  }
  return choices;
}

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.from("\n")]));
}

/** Both forms of one request. */
export async function checkBothForms(check: Check, pair: Pair, body: Body, at: string) {
  await Promise.all([
    checkSame(check, pair, body, `${at}, plain`),
    checkSame(check, pair, { ...body, stream: true }, `${at}, stream`),
  ]);
}
