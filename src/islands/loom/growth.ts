// Branches that a Model writes: one Completion with `n` choices for a growth, streamed into the tree
// once a frame.
import type { ApiClient, Fields } from "../api/client.ts";
import type { TokenTexts } from "../api/token-texts.ts";
import { oncePerFrame } from "../dom/make.ts";
import { originOf } from "./origins.ts";
import { joined, type Pieces, textOf } from "./pieces.ts";
import { hasSharedTexts, piecesOf, withOwnTexts } from "./scored-pieces.ts";
import { type NodeId, nodeOf, pathText } from "./tree.ts";
import { append, finish, grow, replacePieces, withOrigin, withSeed } from "./tree-growth.ts";
import type { Workspace } from "./workspace.ts";

/** Alternatives of each token: enough to choose from, and a tree of thousands stays small. */
export const ALTERNATIVES = 8;

export interface GrowthSettings {
  readonly model: string;
  /** The largest that the Model takes as `logprobs`. */
  readonly logprobsMost: number;
  readonly branches: number;
  /** What the API is asked for beside these. */
  readonly fields: Fields;
}

export interface GrowthEvents {
  /** What is said about it, until something else is. */
  says(words: string): void;
  problem(words: string): void;
  /** The person's tokens, as an answer's headers say it. */
  left(available: number | null): void;
  /** A request has ended. */
  ran(): void;
}

interface Running {
  readonly ids: readonly NodeId[];
  readonly abort: AbortController;
  /** Puts into the tree what came, and how each branch ended; once. */
  end(): void;
}

export class Growths {
  readonly #running = new Set<Running>();
  readonly #api: ApiClient;
  readonly #texts: TokenTexts;
  readonly #workspace: Workspace;
  readonly #events: GrowthEvents;

  constructor(
    parts: { api: ApiClient; texts: TokenTexts; workspace: Workspace },
    events: GrowthEvents,
  ) {
    this.#api = parts.api;
    this.#texts = parts.texts;
    this.#workspace = parts.workspace;
    this.#events = events;
  }

  /** The branches that are being written. */
  get growing(): ReadonlySet<NodeId> {
    return new Set([...this.#running].flatMap(({ ids }) => ids));
  }

  stop(): void {
    for (const running of this.#running) stopOne(running);
  }

  /** Ends what writes branches that nobody sees any more, as after an undo. */
  stopUnseen(): void {
    for (const running of this.#running) {
      if (!running.ids.some((id) => this.#workspace.has(id))) stopOne(running);
    }
  }

  /** New branches from here. */
  async growFrom(parent: NodeId, settings: GrowthSettings): Promise<void> {
    const ids = Array.from({ length: settings.branches }, () => crypto.randomUUID());
    const branches = ids.map((id, index) => {
      return { parent, id, pieces: [], origin: originOf(settings, index) };
    });
    const prompt = pathText(this.#workspace.tree, parent);
    this.#workspace.step(grow(this.#workspace.tree, branches));
    await this.#run(prompt, ids, settings);
  }

  /** A branch that is there already goes on. */
  async goOn(id: NodeId, settings: GrowthSettings): Promise<void> {
    const { tree } = this.#workspace;
    const alone = { ...settings, branches: 1 };
    const chosen = textOf(nodeOf(tree, id).pieces).length;
    const origin = { ...originOf(alone, 0), chosen };
    this.#workspace.everywhere((one) => withOrigin(one, id, origin));
    await this.#run(pathText(tree, id), [id], alone);
  }

  async #run(prompt: string, ids: readonly NodeId[], settings: GrowthSettings): Promise<void> {
    const ended = new Map<NodeId, string | null>(ids.map((id) => [id, null]));
    let arrived = new Map<NodeId, Pieces>();
    const flush = () => {
      const batch = arrived;
      arrived = new Map();
      if (batch.size > 0) this.#workspace.everywhere((tree) => append(tree, batch));
    };
    const flushSoon = oncePerFrame(flush);
    const end = () => {
      if (!this.#running.delete(running)) return;
      flush();
      this.#workspace.everywhere((tree) => finish(tree, ended));
    };
    const running: Running = { ids, abort: new AbortController(), end };
    this.#running.add(running);
    const { model, logprobsMost } = settings;
    const asked = Math.min(ALTERNATIVES, logprobsMost);
    try {
      this.#events.says(ids.length === 1 ? "Growing …" : `Growing ${ids.length} branches …`);
      await this.#api.stream(
        { ...bodyOf(prompt, settings), logprobs: asked },
        {
          onHead: ({ seed, lowered, available }) => {
            this.#events.left(available);
            if (lowered !== null) this.#events.says(`Your tokens allow less: ${lowered}.`);
            this.#workspace.everywhere((tree) => withSeed(tree, ids, seed));
          },
          onWaiting: (words) => this.#events.says(words),
          onChunk: ({ choices }) => {
            // What was stopped may have been changed since.
            if (!this.#running.has(running)) return;
            for (const choice of choices) {
              const id = ids[choice.index];
              if (id === undefined) continue;
              const pieces = piecesOf(choice, model, asked);
              arrived.set(id, joined(arrived.get(id) ?? [], pieces));
              if (choice.finish_reason !== null) ended.set(id, choice.finish_reason);
            }
            flushSoon();
          },
        },
        running.abort.signal,
      );
      // It is over in the tree before it is said to be, here and below.
      end();
      this.#events.says("Grown.");
    } catch (failure) {
      end();
      if (running.abort.signal.aborted) this.#events.says("Stopped. What came is kept.");
      else this.#events.problem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      this.#events.ran();
      await this.#tellTexts(ids, model);
    }
  }

  /** Where tokens came together in one chunk, the tokenizer says which text is whose. */
  async #tellTexts(ids: readonly NodeId[], model: string): Promise<void> {
    const { tree } = this.#workspace;
    const shared = ids.flatMap((id) => tree.nodes.get(id) ?? []);
    const unclear = shared.filter(({ pieces }) => hasSharedTexts(pieces));
    if (unclear.length === 0) return;
    const tokens = unclear.flatMap(({ pieces }) => pieces.flatMap(({ score }) => score?.id ?? []));
    try {
      await this.#texts.learn(model, tokens);
    } catch {
      // The text is right without it; only whose characters they are is not known.
      return;
    }
    const told = unclear.map(({ id, pieces }) => {
      const after = withOwnTexts(pieces, model, (token) => this.#texts.known(model, token));
      return { id, before: pieces, after };
    });
    this.#workspace.everywhere((one) => replacePieces(one, told));
  }
}

/** At once, and not when the request has broken off: another tree may be open by then. */
function stopOne({ abort, end }: Running): void {
  abort.abort();
  end();
}

function bodyOf(prompt: string, { model, branches, fields }: GrowthSettings): Fields {
  const exact = { return_token_ids: true, return_tokens_as_token_ids: true };
  return { model, prompt, n: branches, ...fields, ...exact };
}
