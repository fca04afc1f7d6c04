// The Workbench: one text, continued as it is watched. What it asks the API for, and what it does with
// the answer; the parts draw themselves.
import type { Completion } from "../api/answers.ts";
import type { AnswerHead, ApiClient, Fields } from "../api/client.ts";
import { TokenTexts } from "../api/token-texts.ts";
import { RANKS_MOST } from "../model-text/numbers.ts";
import {
  likeliest,
  type Ranked,
  type ScoredToken,
  spreadTexts,
  tokensOfChoice,
  tokensOfPrompt,
} from "../model-text/scored-token.ts";

/** Ahead of being asked for: two calls at most. */
const ALTERNATIVES_LEARNED = 2_000;

export interface WorkbenchScreen {
  /** The whole text anew. */
  show(tokens: readonly ScoredToken[]): void;
  append(tokens: readonly ScoredToken[]): void;
  /** What stands before the tokens while its own are not known. */
  lead(text: string): void;
  say(words: string): void;
  fail(words: string): void;
  head(head: AnswerHead): void;
  /** The API's `finish_reason`. */
  ended(reason: string): void;
  /** Whether an answer is coming. */
  running(runs: boolean): void;
}

export class Workbench {
  readonly texts: TokenTexts;
  readonly #api: ApiClient;
  readonly #screen: WorkbenchScreen;
  #tokens: ScoredToken[] = [];
  /** The typed text that the tokens came from. */
  #typed: string | null = null;
  #model = "";
  /** How many of the tokens are the prompt's. */
  #promptTokens = 0;
  #run: AbortController | null = null;
  #ended: Promise<void> = Promise.resolve();

  /** `texts` may be shared: what one has learned, another need not ask for. */
  constructor(api: ApiClient, screen: WorkbenchScreen, texts = new TokenTexts(api)) {
    this.#api = api;
    this.#screen = screen;
    this.texts = texts;
  }

  get tokens(): readonly ScoredToken[] {
    return this.#tokens;
  }

  get model(): string {
    return this.#model;
  }

  /** What Continue would send now. */
  body(model: string, typed: string, settings: Fields): Fields {
    const goesOn = this.#typed === typed && this.#model === model && this.#tokens.length > 0;
    const prompt = goesOn ? this.#ids() : typed;
    return { model, prompt, ...settings, logprobs: RANKS_MOST, ...EXACT, stream: true };
  }

  async continue(model: string, typed: string, settings: Fields): Promise<void> {
    await this.#alone(async (signal) => {
      const body = this.body(model, typed, settings);
      if (typeof body.prompt === "string") this.#startOver(model, typed);
      await this.#watch(body, signal);
    });
  }

  /** From the text before a token, with another one in its place. */
  async branch(from: ScoredToken, chosen: Ranked, settings: Fields): Promise<void> {
    await this.#alone(async (signal) => {
      const at = this.#tokens.indexOf(from);
      if (at === -1) return;
      await this.texts.learn(this.#model, [chosen.id]);
      this.#tokens = [...this.#tokens.slice(0, at), this.#instead(from, chosen)];
      this.#promptTokens = Math.min(this.#promptTokens, at);
      this.#screen.show(this.#tokens);
      const asked = { logprobs: RANKS_MOST, ...EXACT, stream: true };
      await this.#watch({ model: this.#model, prompt: this.#ids(), ...settings, ...asked }, signal);
    });
  }

  /** Scores the typed text itself: one token is generated, since the API needs one, and not shown. */
  async score(model: string, typed: string): Promise<void> {
    await this.#alone(async (signal) => {
      this.#startOver(model, typed);
      const asked = { max_tokens: 1, prompt_logprobs: RANKS_MOST, return_token_ids: true };
      const [{ choices }, head] = await this.#api.complete(
        { model, prompt: typed, ...asked },
        this.#screen.say,
        signal,
      );
      this.#screen.head(head);
      const ids = choices[0]?.prompt_token_ids ?? [];
      this.#placePrompt(tokensOfPrompt(ids, choices[0]?.prompt_logprobs ?? []));
      await this.#settle(ids.length);
      this.#screen.say(`The text is scored: ${ids.length} tokens.`);
    });
  }

  stop(): void {
    this.#run?.abort();
  }

  clear(): void {
    this.stop();
    this.#forget();
  }

  text(): string {
    return this.#tokens.map(({ text }) => text).join("");
  }

  /** The typed text is now what stands there, so that Continue goes on from its tokens. */
  adopt(): string {
    this.#typed = this.text();
    return this.#typed;
  }

  idsBefore(at: number): number[] {
    return this.#ids().slice(0, at);
  }

  #ids(): number[] {
    return this.#tokens.map(({ id }) => id);
  }

  #instead(from: ScoredToken, { id, logprob, rank }: Ranked): ScoredToken {
    const own = this.texts.known(this.#model, id) ?? "";
    const text = own.includes("\ufffd") ? "" : own;
    // Where the same one is chosen again, it stays among them.
    const alternatives = id === from.id ? from.alternatives : likeliest(from, from.alternatives);
    return { id, text, logprob, rank, alternatives, from: "model" };
  }

  #startOver(model: string, typed: string): void {
    this.#forget();
    this.#model = model;
    this.#typed = typed;
    this.#screen.lead(typed);
  }

  #forget(): void {
    this.#tokens = [];
    this.#promptTokens = 0;
    this.#typed = null;
    this.#screen.lead("");
    this.#screen.show([]);
  }

  async #watch(body: Fields, signal: AbortSignal): Promise<void> {
    const from = this.#tokens.length;
    const asked = Number(body.logprobs);
    let reason = "";
    let lowered: string | null = null;
    const onHead = (head: AnswerHead) => {
      lowered = head.lowered;
      this.#screen.head(head);
    };
    let hasBegun = false;
    const onChunk = ({ choices: [choice] }: Completion) => {
      if (choice === undefined) return;
      if (!hasBegun) {
        hasBegun = true;
        this.#screen.say(
          lowered === null ? "Writing…" : `Writing; most tokens lowered: ${lowered}`,
        );
      }
      if (this.#tokens.length === 0) {
        this.#placePrompt(tokensOfPrompt(choice.prompt_token_ids ?? [], []));
      }
      const tokens = tokensOfChoice(choice, asked);
      this.#tokens.push(...tokens);
      this.#screen.append(tokens);
      reason = choice.finish_reason ?? reason;
    };
    const { say: onWaiting } = this.#screen;
    try {
      await this.#api.stream(body, { onHead, onChunk, onWaiting }, signal);
      this.#screen.ended(reason);
    } finally {
      await this.#settle(Math.max(from, this.#promptTokens));
    }
  }

  /** All of its text stands at its last token until the tokens' own texts are known. */
  #placePrompt(prompt: readonly ScoredToken[]): void {
    const last = prompt.at(-1);
    if (last !== undefined) last.text = this.#typed ?? "";
    this.#promptTokens = prompt.length;
    this.#tokens = [...prompt];
    this.#screen.lead("");
    this.#screen.show(this.#tokens);
  }

  /** Gives each token its own text, once nothing more comes. */
  async #settle(from: number): Promise<void> {
    await this.texts.learn(this.#model, this.#ids());
    const textOf = (id: number) => this.texts.known(this.#model, id);
    spreadTexts(this.#tokens.slice(0, this.#promptTokens), textOf);
    spreadTexts(this.#tokens.slice(from), textOf);
    this.#screen.show(this.#tokens);
    // So that a token's alternatives are there with their texts when it is opened.
    const alternatives = this.#tokens.flatMap((token) => token.alternatives.map(({ id }) => id));
    const soon = [...new Set(alternatives)].slice(0, ALTERNATIVES_LEARNED);
    this.texts.learn(this.#model, soon).catch(() => undefined);
  }

  /** One at a time; what goes wrong is said, and leaving early is nothing wrong. */
  #alone(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.stop();
    const run = new AbortController();
    this.#run = run;
    this.#screen.running(true);
    this.#screen.say("Waiting for the first token…");
    this.#ended = this.#ended.then(() => this.#guard(run, work));
    return this.#ended;
  }

  async #guard(run: AbortController, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      if (!run.signal.aborted) await work(run.signal);
    } catch (failure) {
      const words = failure instanceof Error ? failure.message : String(failure);
      if (!run.signal.aborted) this.#screen.fail(words);
    }
    // Another one has begun in its place, and says what it does.
    if (this.#run !== run) return;
    this.#run = null;
    if (run.signal.aborted) this.#screen.say("Stopped.");
    this.#screen.running(false);
  }
}

/** Ids are exact where texts collide; the API says both on request. */
const EXACT = { return_token_ids: true, return_tokens_as_token_ids: true } as const;
