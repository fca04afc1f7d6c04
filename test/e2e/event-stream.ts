// What a client sees of a stream, event by event.
import { type ApiError, checkedError } from "./person.ts";

interface StreamChoice {
  index: number;
  text: string;
  finish_reason: string | null;
  token_ids?: number[] | null;
}

export interface StreamChunk {
  choices: StreamChoice[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

export interface SeenStream {
  chunks: StreamChunk[];
  text: string;
  error: ApiError | null;
  done: boolean;
}

/** Takes a whole body apart; throws at anything that is no event of the contract. */
export function readStream(body: string): SeenStream {
  const seen: SeenStream = { chunks: [], text: "", error: null, done: false };
  for (const event of body.split("\n\n")) {
    if (event === "") continue;
    if (seen.done || seen.error !== null) throw new Error("an event after the end");
    if (!event.startsWith("data: ")) throw new Error("no event of a completion");
    const data = event.slice("data: ".length);
    if (data === "[DONE]") seen.done = true;
    else if (data.startsWith('{"error"')) seen.error = checkedError(JSON.parse(data));
    else seen.chunks.push(JSON.parse(data) as StreamChunk);
  }
  seen.text = seen.chunks.map(({ choices }) => choices[0]?.text ?? "").join("");
  return seen;
}

/** The tokens that these chunks brought: the last count of each choice. */
export function deliveredTokens(chunks: readonly StreamChunk[]): number {
  const counts = new Map<number, number>();
  for (const { choices, usage } of chunks) {
    const [choice] = choices;
    if (choice !== undefined) counts.set(choice.index, usage?.completion_tokens ?? 0);
  }
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
