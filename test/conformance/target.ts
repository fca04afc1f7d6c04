// A completions URL under test: a gateway of this project, or any engine with vLLM's protocol.
import {
  type Choice,
  type PlainAnswer,
  plainAnswer,
  type RawAnswer,
  type StreamAnswer,
  streamAnswer,
} from "./answers.ts";
import { OptionProblem } from "./options.ts";
import type { Places } from "./places.ts";

export interface TargetOptions {
  /** With `/v1`, or the root of it. */
  url: string;
  key: string | null;
  /** The id to ask for; the first of the list when null. */
  model: string | null;
  /** Its end-of-text token. */
  eosId: number;
  places: Places;
}

export type Body = Readonly<Record<string, unknown>>;

export interface CallOptions {
  /** POST unless it says otherwise. */
  method?: string;
  /** Another one than the target's; null sends none. */
  key?: string | null;
  headers?: Readonly<Record<string, string>>;
}

interface ModelEntry {
  id: string;
  max_model_len: number;
  /** A gateway of this project says it; vLLM does not. */
  vocab_size?: number;
}

/** Someone else's load, or a person's limit of starts; a run of thousands waits for its turn. */
const TRIES_WHEN_LIMITED = 40;

export class Target {
  readonly base: string;
  readonly model: string;
  readonly maxModelLen: number;
  readonly eosId: number;
  /** What asks for a whole vocabulary in `logprobs`: vLLM answers its own -1 with empty maps. */
  readonly wholeVocabulary: number;
  readonly isGateway: boolean;
  readonly #key: string | null;
  readonly #places: Places;

  private constructor(base: string, entry: ModelEntry, whole: number, options: TargetOptions) {
    this.base = base;
    this.model = entry.id;
    this.maxModelLen = entry.max_model_len;
    this.eosId = options.eosId;
    this.isGateway = entry.vocab_size !== undefined;
    this.wholeVocabulary = this.isGateway ? -1 : whole;
    this.#key = options.key;
    this.#places = options.places;
  }

  static async open(options: TargetOptions): Promise<Target> {
    const base = `${options.url.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
    const headers = new Headers(
      options.key === null ? {} : { authorization: `Bearer ${options.key}` },
    );
    const response = await fetch(`${base}/models`, { headers }).catch(() => null);
    if (response === null) throw new OptionProblem(`Nobody answers at ${base}.`);
    if (!response.ok) throw new OptionProblem(`${base}/models answers ${response.status}.`);
    const { data } = (await response.json()) as { data: ModelEntry[] };
    const entry = options.model === null ? data[0] : data.find(({ id }) => id === options.model);
    if (entry === undefined)
      throw new OptionProblem(`${base} has no model ${options.model ?? ""}.`);
    const unknown = new Target(base, entry, -1, options);
    if (unknown.isGateway) return unknown;
    return new Target(base, entry, await unknown.#countVocabulary(), options);
  }

  async #countVocabulary(): Promise<number> {
    const body = { prompt: [0, 0], max_tokens: 1, prompt_logprobs: -1 };
    const [choice] = (await this.complete(body)).choices;
    return Object.keys(choice?.prompt_logprobs?.[1] ?? {}).length;
  }

  /** Whether a wrong key is refused. */
  get hasKey(): boolean {
    return this.#key !== null;
  }

  /** Undecoded; `path` under the base. */
  raw(path: string, body: Body | string, init: CallOptions = {}): Promise<RawAnswer> {
    const url = this.#addressOf(path);
    const { method = "POST", key = this.#key } = init;
    const headers = new Headers({ "content-type": "application/json", ...init.headers });
    if (key !== null) headers.set("authorization", `Bearer ${key}`);
    const text = typeof body === "string" ? body : JSON.stringify({ model: this.model, ...body });
    return this.#places.take(async () => {
      for (let tries = 1; ; tries++) {
        const response = await fetch(url, { method, headers, body: text });
        const bytes = Buffer.from(await response.arrayBuffer());
        const answer = { status: response.status, headers: response.headers, bytes };
        const waitMs = Number(response.headers.get("retry-after-ms") ?? 0);
        if (response.status !== 429 || waitMs === 0 || tries === TRIES_WHEN_LIMITED) return answer;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    });
  }

  /** vLLM has its tokenizer at the root, the gateway beside the completions. */
  #addressOf(path: string): string {
    const atRoot = !this.isGateway && path.endsWith("tokenize");
    return (atRoot ? this.base.replace(/\/v1$/, "") : this.base) + path;
  }

  async complete(body: Body): Promise<PlainAnswer> {
    return plainAnswer(await this.raw("/completions", body));
  }

  /** The only choice of a request for one. */
  async one(body: Body): Promise<Choice> {
    const { choices } = await this.complete(body);
    const [choice] = choices;
    if (choice === undefined || choices.length !== 1) {
      throw new Error(`${choices.length} choices where one was asked for`);
    }
    return choice;
  }

  async stream(body: Body): Promise<StreamAnswer> {
    return streamAnswer(await this.raw("/completions", { ...body, stream: true }));
  }

  /** Of the text alone, or `asPrompt`: with the tokens that a prompt of text gets before it. */
  async tokenize(prompt: string, asPrompt = false): Promise<number[]> {
    const body = { prompt, add_special_tokens: asPrompt };
    const { status, bytes } = await this.raw("/tokenize", body);
    const answer = JSON.parse(bytes.toString()) as { count: number; tokens: number[] };
    if (status !== 200 || answer.count !== answer.tokens.length) {
      throw new Error(`/tokenize answers ${status}, or counts otherwise than it lists`);
    }
    return answer.tokens;
  }

  async detokenize(tokens: readonly number[]): Promise<string> {
    const { status, bytes } = await this.raw("/detokenize", { tokens });
    if (status !== 200) throw new Error(`/detokenize answers ${status}`);
    return (JSON.parse(bytes.toString()) as { prompt: string }).prompt;
  }
}
