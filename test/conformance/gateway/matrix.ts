// echo × logprobs × prompt_logprobs × n × prompts × stream × max_tokens: each combination is the
// engine's answer byte for byte, or refused as the contract says.
import type { Case, Check } from "../case.ts";
import type { Body } from "../target.ts";
import { ISHMAEL } from "../url/prompts.ts";
import { checkRefused } from "./refused.ts";
import { checkSame, type Pair } from "./same-answer.ts";

const OTHER = "It was the best of times — 最好的時代 🎉";

/** One in so many is enough for `--quick`; no factor of the matrix's sides. */
const QUICK_STEP = 13;

interface Cell {
  body: Body;
  at: string;
  /** The field that the contract refuses in this combination. */
  refused: string | null;
}

async function promptShapes({ engine }: Pair): Promise<Readonly<Record<string, unknown>>> {
  const ids = await engine.tokenize(ISHMAEL);
  return {
    "a string": ISHMAEL,
    strings: [ISHMAEL, OTHER],
    ids,
    "lists of ids": [ids, await engine.tokenize(OTHER)],
  };
}

/** Absent, not null: JSON.stringify leaves out what is undefined. */
function cellsOf(prompt: unknown, stream: boolean): Cell[] {
  const cells: Cell[] = [];
  let seed = 1;
  for (const echo of [undefined, true]) {
    for (const logprobs of [undefined, 0, 1, 5]) {
      for (const prompt_logprobs of [undefined, 0, 2]) {
        for (const n of [1, 3]) {
          for (const max_tokens of [0, 1, 8]) {
            const fields = { echo, logprobs, prompt_logprobs, n, max_tokens };
            const body = { prompt, ...fields, seed: seed++, ...(stream && { stream }) };
            let refused: string | null = null;
            if (max_tokens === 0 && echo !== true) refused = "max_tokens";
            else if (stream && prompt_logprobs !== undefined) refused = "prompt_logprobs";
            cells.push({ body, at: JSON.stringify(fields), refused });
          }
        }
      }
    }
  }
  return cells;
}

function sampled(cells: Cell[], quick: boolean): Cell[] {
  return quick ? cells.filter((_, index) => index % QUICK_STEP === 0) : cells;
}

async function runCells(check: Check, pair: Pair, cells: Cell[]): Promise<void> {
  await Promise.all(cells.map(({ body, at }) => checkSame(check, pair, body, at)));
}

export async function matrixCases(pair: Pair): Promise<Case[]> {
  const shapes = Object.entries(await promptShapes(pair));
  const all = shapes.flatMap(([name, prompt]) =>
    [false, true].map((stream) => {
      return { name, stream, cells: cellsOf(prompt, stream) };
    }),
  );
  const same = all.map(({ name, stream, cells }): Case => {
    return {
      name: `${name}, ${stream ? "streamed" : "plain"}: the engine's answer byte for byte`,
      compares: "choices, usage: echo × logprobs × prompt_logprobs × n × max_tokens",
      quick: true,
      run: (check, quick) =>
        runCells(
          check,
          pair,
          sampled(
            cells.filter(({ refused }) => refused === null),
            quick,
          ),
        ),
    };
  });
  const refused: Case = {
    name: "combinations that no answer can be right for are refused",
    compares: "status, code and param of the matrix's other cells",
    quick: true,
    async run(check, quick) {
      const cells = all.flatMap((part) => part.cells).filter((cell) => cell.refused !== null);
      await Promise.all(
        sampled(cells, quick).map(({ body, at, refused: param }) =>
          checkRefused(check, pair.gateway, body, { code: "invalid_request", param }, at),
        ),
      );
    },
  };
  return [...same, refused];
}
