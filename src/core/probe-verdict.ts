// Whether a backend is ready, from what it answered. Judges literals only. /health at 200 proves
// nothing about progress, so the last word has a completion.
import type { Model } from "../contract/catalogue.ts";

/** What is asked: one token after one token, greedy. Costs a fraction of a second and proves a step. */
export function knownQuestion(model: Model, servedName: string): Readonly<Record<string, unknown>> {
  return {
    model: servedName,
    prompt: [model.bos_id],
    max_tokens: 1,
    temperature: 0,
    logprobs: 0,
    return_tokens_as_token_ids: true,
  };
}

/** Null when the answer is right, else what is wrong with it, for the log. */
export function judgeKnownAnswer(status: number, body: string, model: Model): string | null {
  if (status !== 200) return `the completion was answered ${status}`;
  const answer = parsed(body);
  const choice = member(member(answer, "choices"), "0");
  const usage = member(answer, "usage");
  if (member(usage, "prompt_tokens") !== 1) return "usage does not count the prompt's one token";
  if (member(usage, "completion_tokens") !== 1) return "usage does not count one new token";
  const logprobs = member(choice, "logprobs");
  const id = /^token_id:(\d+)$/.exec(String(member(member(logprobs, "tokens"), "0")))?.[1];
  if (id === undefined || Number(id) >= model.vocab_size) return "its token is none of the Model's";
  const score = member(member(logprobs, "token_logprobs"), "0");
  // A rounded probability of 1 may print as 0.
  if (typeof score !== "number" || !(score <= 0)) return "its log-probability is no such number";
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
