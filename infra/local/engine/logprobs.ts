// The `logprobs` object of a choice. Maps are keyed by the tokens' texts, in Python's dict order:
// the chosen token, then the best; a text that comes twice keeps its first place and last value.
import { type Distribution, probabilityOf } from "./distribution.ts";
import type { Engine } from "./engine.ts";
import { characterCount, logprobText } from "./json-text.ts";
import { shownText } from "./token-text.ts";
import { tokenText, VOCABULARY_SIZE } from "./tokenizer.ts";

/** One token of an answer, with what is needed to write its logprobs when they leave. */
export interface LogprobRow {
  readonly id: number;
  /** Null for a prompt's first token, which nothing predicts. */
  readonly distribution: Distribution | null;
  /** Up to four tokens whose logprobs were given before it; they decide the texts. */
  readonly context: readonly number[];
  /** How many best tokens the engine looked up; -1 is the whole vocabulary. */
  readonly looked: number;
}

export interface LogprobOptions {
  /** The request's `logprobs`. */
  readonly top: number;
  readonly chosenIds: readonly number[] | undefined;
  readonly asIds: boolean;
  readonly initialOffset: number;
  /** Texts every map then holds twice, and a key that is dangerous to a careless parser. */
  readonly oddKeys: boolean;
}

/** Natural logarithm, at the precision of vLLM's float32. */
export function logprobOf(probability: number): number {
  return Math.max(Math.fround(Math.log(probability)), -9999);
}

function rowTokenText(row: LogprobRow, asIds: boolean): string {
  if (asIds) return `token_id:${row.id}`;
  return row.distribution === null ? tokenText(row.id) : shownText(row.id, row.context);
}

/** The object's JSON, in parts: the maps of a whole vocabulary are large. */
export function* logprobsParts(
  engine: Engine,
  rows: readonly LogprobRow[],
  options: LogprobOptions,
): Generator<string> {
  const texts = rows.map((row) => rowTokenText(row, options.asIds));
  let offset = options.initialOffset;
  const offsets = texts.map((text) => {
    const here = offset;
    offset += characterCount(text);
    return here;
  });
  const logprobs = rows.map(({ id, distribution }) =>
    distribution === null
      ? "null"
      : logprobText(logprobOf(probabilityOf(engine.model.base, distribution, id))),
  );
  const quoted = texts.map((text) => JSON.stringify(text));
  yield `{"text_offset":[${offsets.join(",")}],"token_logprobs":[${logprobs.join(",")}],` +
    `"tokens":[${quoted.join(",")}],"top_logprobs":[`;
  for (const [i, row] of rows.entries()) {
    yield (i === 0 ? "" : ",") + topMap(engine, row, options);
  }
  yield "]}";
}

function topMap(engine: Engine, row: LogprobRow, options: LogprobOptions): string {
  const { distribution, context } = row;
  if (distribution === null) return "null";
  const looked = row.looked === -1 ? VOCABULARY_SIZE : row.looked;
  const entries = new Map<string, string>();
  const scores = engine.ranking.fill(distribution);
  let written = 0;
  const add = (id: number): void => {
    // vLLM compares `logprobs` with the entry's place, so -1 gives empty maps.
    if (options.chosenIds === undefined && written > options.top) return;
    written++;
    const key = options.asIds ? `token_id:${id}` : shownText(id, context);
    entries.set(key, logprobText(logprobOf(scores.score(id))));
  };
  add(row.id);
  const others = options.chosenIds ?? (options.top < 0 ? [] : scores.best(looked));
  for (const id of others) if (id !== row.id) add(id);
  const pairs = Array.from(entries, ([key, value]) => `${JSON.stringify(key)}:${value}`);
  if (options.oddKeys) pairs.push(`"__proto__":-9.5`, ...pairs.slice(0, 1));
  return `{${pairs.join(",")}}`;
}

/** The rows of a prompt's tokens. Texts after its first token look only at tokens after that. */
export function promptRows(
  engine: Engine,
  prompt: readonly number[],
  looked: number,
): LogprobRow[] {
  return prompt.map((id, i) => ({
    id,
    distribution: i === 0 ? null : engine.source.after(prompt.slice(Math.max(0, i - 3), i)),
    context: prompt.slice(Math.max(1, i - 4), i),
    looked,
  }));
}

/** The rows of written tokens from a position on. */
export function outputRows(
  output: readonly number[],
  distributions: readonly Distribution[],
  from: number,
  looked: number,
): LogprobRow[] {
  return output.slice(from).map((id, i) => ({
    id,
    distribution: distributions[from + i] ?? null,
    context: output.slice(Math.max(0, from + i - 4), from + i),
    looked,
  }));
}
