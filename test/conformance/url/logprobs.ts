// Log-probabilities: their form, their ranks, and that whole vocabularies sum to one.
import type { Logprobs, PromptRow } from "../answers.ts";
import type { Case, Check } from "../case.ts";
import type { Target } from "../target.ts";
import { caller, ISHMAEL } from "./prompts.ts";

/** 50,000 float32 logarithms, each off by its last digit, are farther from 1 than their sum is. */
const SUM_TOLERANCE = 1e-3;

/** vLLM writes no infinity; it puts this in its place. */
const LEAST_LOGPROB = -9999;

function checkRows(check: Check, logprobs: Logprobs, most: number, at: string): void {
  const { tokens, token_logprobs: own, top_logprobs: tops, text_offset: offsets } = logprobs;
  check.same([own.length, tops.length, offsets.length], Array(3).fill(tokens.length), at);
  tokens.forEach((token, index) => {
    const [logprob, top] = [own[index] ?? 1, tops[index] ?? {}];
    const where = `${at}, token ${index}`;
    check.holds(logprob <= 0 && logprob >= LEAST_LOGPROB, where, `a logprob of ${logprob}`);
    check.same(top[token], logprob, `${where}: its entry among the alternatives`);
    const values = Object.values(top);
    const size = values.length;
    check.holds(size === Math.max(most, 1) || size === most + 1, where, `${size} entries`);
    if (most > 0) check.holds(Math.max(...values) >= logprob, where, "is above the likeliest");
  });
}

function checkPromptRow(check: Check, row: PromptRow, own: number, k: number, at: string): void {
  const entries = Object.entries(row ?? {});
  const ownEntry = row?.[String(own)];
  check.holds(ownEntry !== undefined, at, "the prompt's own token is missing");
  if (ownEntry === undefined) return;
  const among = ownEntry.rank <= k;
  check.same(entries.length, among ? k : k + 1, `${at}: entries`);
  const best = entries.map(([, entry]) => entry).filter(({ rank }) => rank <= k);
  best.sort((one, other) => one.rank - other.rank);
  check.same(
    best.map(({ rank }) => rank),
    best.map((_, index) => index + 1),
    `${at}: ranks`,
  );
  const falling = best.every(({ logprob }, i) => logprob <= (best[i - 1]?.logprob ?? 0));
  check.holds(falling, at, "logprobs do not fall with their ranks");
  const least = best.at(-1)?.logprob ?? 0;
  check.holds(among || ownEntry.logprob <= least, at, "a lower rank has a higher logprob");
}

function sumOf(logprobs: readonly number[]): number {
  return logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
}

function checkWhole(check: Check, logprobs: readonly number[], size: number, at: string): void {
  check.same(logprobs.length, size, `${at}: entries`);
  const sum = sumOf(logprobs);
  check.holds(Math.abs(sum - 1) < SUM_TOLERANCE, at, `probabilities sum to ${sum}`);
}

export const logprobCases = (target: Target): Case[] => [
  {
    name: "a sampled token stands among its alternatives with its own logprob",
    compares: "tokens, token_logprobs and top_logprobs for 0, 1 and 5",
    quick: true,
    async run(check) {
      const ask = caller(target, { prompt: ISHMAEL, max_tokens: 12, seed: 4, ignore_eos: true });
      for (const logprobs of [0, 1, 5]) {
        const choice = await ask({ logprobs, return_tokens_as_token_ids: true });
        if (choice.logprobs === null) check.holds(false, `logprobs ${logprobs}`, "none came");
        else checkRows(check, choice.logprobs, logprobs, `logprobs ${logprobs}`);
      }
      check.same((await ask({})).logprobs, null, "logprobs that nobody asked for");
    },
  },
  {
    name: "prompt_logprobs has null, then each token's own entry and the best by rank",
    compares: "rows, entries and ranks for 0, 2 and 20",
    quick: true,
    async run(check) {
      const prompt = await target.tokenize(ISHMAEL);
      for (const k of [0, 2, 20]) {
        const body = { prompt, max_tokens: 1, prompt_logprobs: k, seed: 1 };
        const rows = (await target.one(body)).prompt_logprobs ?? [];
        check.same(rows.length, prompt.length, `prompt_logprobs ${k}: rows`);
        check.same(rows[0], null, `prompt_logprobs ${k}: the first row`);
        for (const [index, own] of prompt.entries()) {
          if (index > 0) checkPromptRow(check, rows[index] ?? null, own, k, `${k}, token ${index}`);
        }
      }
    },
  },
  {
    name: "the whole vocabulary is a distribution",
    compares: "prompt_logprobs -1 and logprobs of every token: they sum to 1",
    quick: true,
    async run(check) {
      const prompt = await target.tokenize("The whale");
      const asked = { prompt, max_tokens: 2, seed: 6, ignore_eos: true };
      const scored = await target.one({ ...asked, prompt_logprobs: -1 });
      const rows = scored.prompt_logprobs ?? [];
      const size = Object.keys(rows[1] ?? {}).length;
      check.holds(size > 1000, "prompt_logprobs -1", `${size} entries`);
      for (const [index, row] of rows.entries()) {
        if (index === 0) continue;
        const entries = Object.values(row ?? {});
        const at = `prompt token ${index}`;
        checkWhole(
          check,
          entries.map(({ logprob }) => logprob),
          size,
          at,
        );
        const ranks = new Set(entries.map(({ rank }) => rank));
        check.holds(ranks.size >= size - 1 && ranks.has(1), at, `${ranks.size} different ranks`);
      }
      const { logprobs } = await target.one({
        ...asked,
        logprobs: target.wholeVocabulary,
        return_tokens_as_token_ids: true,
      });
      check.same(logprobs?.top_logprobs.length, 2, "sampled tokens");
      logprobs?.top_logprobs.forEach((top, index) => {
        checkWhole(check, Object.values(top ?? {}), size, `sampled token ${index}`);
      });
    },
  },
  {
    name: "logprob_token_ids gives the logprobs of just these tokens",
    compares: "entries and values against the whole vocabulary's",
    quick: true,
    async run(check) {
      const ids = (
        await Promise.all([" yes", " no", " whale"].map((text) => target.tokenize(text)))
      ).map(([id = 0]) => id);
      const asked = { prompt: "Is it a", max_tokens: 1, seed: 3, return_tokens_as_token_ids: true };
      const few = await target.one({ ...asked, logprobs: 0, logprob_token_ids: ids });
      const all = await target.one({ ...asked, logprobs: target.wholeVocabulary });
      const [top, whole] = [few.logprobs?.top_logprobs[0], all.logprobs?.top_logprobs[0]];
      for (const id of ids) {
        const name = `token_id:${id}`;
        const [score, expected] = [top?.[name], whole?.[name]];
        const near = score !== undefined && expected !== undefined && nearly(score, expected);
        check.holds(near, name, `${score} instead of ${expected}`);
      }
      const own = few.logprobs?.tokens[0] ?? "";
      const expected = new Set([own, ...ids.map((id) => `token_id:${id}`)]);
      check.same(new Set(Object.keys(top ?? {})).size, expected.size, "entries");
    },
  },
];

/** Two requests of one engine may run in different batches. */
function nearly(one: number, other: number): boolean {
  return Math.abs(one - other) <= 0.05;
}
