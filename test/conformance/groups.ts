// All cases, in the order of the table.
import type { Case } from "./case.ts";
import { fieldCases } from "./gateway/fields.ts";
import { hostileCases } from "./gateway/hostile.ts";
import { matrixCases } from "./gateway/matrix.ts";
import { outsideCases } from "./gateway/outside.ts";
import { refusedCases } from "./gateway/refused.ts";
import type { Pair } from "./gateway/same-answer.ts";
import type { Group } from "./run.ts";
import type { Target } from "./target.ts";
import { bundleCases } from "./url/bundle.ts";
import { echoCases } from "./url/echo.ts";
import { endingCases } from "./url/ending.ts";
import { logprobCases } from "./url/logprobs.ts";
import { refusalCases } from "./url/refusals.ts";
import { samplingCases } from "./url/sampling.ts";
import { shapeCases } from "./url/shape.ts";
import { streamingCases } from "./url/streaming.ts";
import { tokenCases } from "./url/tokens.ts";

/** What holds at any completions URL with vLLM's protocol. */
function urlCases(target: Target): Case[] {
  return [
    shapeCases,
    echoCases,
    logprobCases,
    samplingCases,
    endingCases,
    tokenCases,
    streamingCases,
    refusalCases,
  ].flatMap((cases) => cases(target));
}

export interface GroupOptions {
  /** False for an engine that has no route for several Completions in one request. */
  bundle: boolean;
}

function groupsOfUrl(target: Target, { bundle }: GroupOptions): Group[] {
  const { isGateway, base } = target;
  const own: Group = {
    title: `${isGateway ? "gateway" : "engine"} ${base}`,
    cases: urlCases(target),
  };
  if (isGateway) return [own];
  const title = `several Completions in one request at ${base}`;
  if (bundle) return [own, { title, cases: bundleCases(target) }];
  return [own, { title, cases: [], leftOut: "--no-bundle" }];
}

export async function groupsFor(
  target: Target,
  engine: Target | null,
  options: GroupOptions,
): Promise<Group[]> {
  const groups = groupsOfUrl(target, options);
  if (target.isGateway) {
    groups.push({ title: "the gateway's own refusals", cases: refusedCases(target) });
  }
  if (engine === null) return groups;
  const pair: Pair = { gateway: target, engine };
  groups.push(...groupsOfUrl(engine, options));
  const compared = [fieldCases, hostileCases, outsideCases].flatMap((cases) => cases(pair));
  const cases = [...(await matrixCases(pair)), ...compared];
  return [...groups, { title: "the gateway's answers and the engine's", cases }];
}
