// How the engine's tests talk to it: over HTTP, as a gateway would.
import {
  type EngineOptions,
  type RunningEngine,
  startEngine,
} from "../../infra/local/engine/server.ts";

export const DATA_FOLDER = ".local/engine";

export interface TestEngine extends RunningEngine {
  post(body: object, init?: RequestInit): Promise<Response>;
  /** One request for all of them. */
  bundle(lines: readonly object[], init?: RequestInit): Promise<Response>;
  complete(body: object): Promise<Answer>;
  stream(body: object, init?: RequestInit): Promise<string[]>;
  metric(name: string, label?: string): Promise<number>;
}

export interface Choice {
  index: number;
  text: string;
  logprobs: {
    text_offset: number[];
    token_logprobs: (number | null)[];
    tokens: string[];
    top_logprobs: (Record<string, number> | null)[];
  } | null;
  finish_reason: string | null;
  stop_reason: number | string | null;
  token_ids: number[] | null;
  prompt_logprobs: (Record<string, PromptLogprob> | null)[] | null;
  prompt_token_ids: number[] | null;
}

export interface PromptLogprob {
  logprob: number;
  rank: number;
  decoded_token: string;
}

interface Answer {
  id: string;
  choices: Choice[];
  usage: { prompt_tokens: number; total_tokens: number; completion_tokens: number };
}

export async function startTestEngine(options: Partial<EngineOptions> = {}): Promise<TestEngine> {
  const engine = await startEngine({ dataFolder: DATA_FOLDER, ...options });
  const post = (body: object, init: RequestInit = {}) =>
    fetch(`${engine.url}/v1/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "local", ...body }),
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    });
  const bundle = (lines: readonly object[], init: RequestInit = {}) =>
    fetch(`${engine.url}/v1/completions/bundle`, {
      method: "POST",
      body: lines.map((line) => JSON.stringify({ model: "local", ...line })).join("\n"),
      ...init,
      headers: { "content-type": "application/x-ndjson", ...init.headers },
    });
  return {
    ...engine,
    post,
    bundle,
    complete: async (body) => (await (await post(body)).json()) as Answer,
    stream: async (body, init) =>
      eventsOf(await (await post({ stream: true, ...body }, init)).text()),
    metric: async (name, label = "") => {
      const text = await (await fetch(`${engine.url}/metrics`)).text();
      const line = text
        .split("\n")
        .find((one) => one.startsWith(`${name}{`) && one.includes(label));
      return Number(line?.split(" ").at(-1));
    },
  };
}

/** The `data:` payloads of an event stream. */
export function eventsOf(text: string): string[] {
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""));
}

export interface Chunk {
  choices: Choice[];
  usage?: Answer["usage"];
}

/** The JSON events of a stream, without `[DONE]`. */
export function chunksOf(events: readonly string[]): Chunk[] {
  return events.filter((event) => event !== "[DONE]").map((event) => JSON.parse(event) as Chunk);
}

export function firstChoice(answer: { choices: Choice[] }): Choice {
  const [choice] = answer.choices;
  if (choice === undefined) throw new Error("the answer has no choice");
  return choice;
}
