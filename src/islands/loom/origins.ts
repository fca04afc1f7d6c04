// How a Model came to a branch, and which seed gives it again. No I/O.
import type { GrowthSettings } from "./growth.ts";
import type { Origin, TreeNode } from "./tree.ts";

/** Of the choice `index` of a growth, before the API has said its seed. */
export function originOf({ model, branches, fields }: GrowthSettings, index: number): Origin {
  const { seed: _, temperature = 1, ...others } = fields;
  const asked = { n: branches, index, ...others };
  return { model, seed: null, temperature: Number(temperature), asked };
}

/**
 * The seed that gives this branch by itself, as the first one of a growth: vLLM samples the choice j of
 * a prompt with the request's seed and j more. Null where none is known to.
 */
export function seedOf({ origin, pieces }: TreeNode): { seed: number; words: string } | null {
  const { seed = null, asked = {}, chosen = 0 } = origin ?? {};
  const { index } = asked;
  // What a person has written in it, no seed gives.
  if (seed === null || pieces.some(({ score }) => score === null)) return null;
  // A file of before has no index.
  if (typeof index !== "number") return { seed, words: "Seed of its growth" };
  if (!Number.isSafeInteger(seed + index)) return null;
  const words = chosen === 0 ? "Seed of this branch" : "Seed after the chosen token";
  return { seed: seed + index, words };
}

/** Of what is only a part of what a seed gives, or more than it. */
export function withoutSeed(origin: Origin | null): Origin | null {
  return origin === null ? null : { ...origin, seed: null };
}
