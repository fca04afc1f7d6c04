// A slice's items, judged as a live Completion is before it runs: what it asks for, and what it costs
// at most. They were judged when the Job was taken in; the catalogue may be another since.
import type { CompletionRequest } from "../../contract/completion-request.ts";
import type { PublicError } from "../../contract/errors.ts";
import { errorFromProblems } from "../../contract/problems.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { countChoices, generatedTokens } from "../../core/request-size.ts";
import { PromptCounter } from "../accounting/prompt-counter.ts";
import type { ServedModel } from "../environment.ts";
import { ItemParser } from "./parse-item.ts";
import type { JobItem } from "./read-items.ts";

export interface RunnableItem extends JobItem {
  kind: "runnable";
  requestId: string;
  request: CompletionRequest;
  prompts: PromptCounter;
  /** Only the exact count of its tokens can tell whether the Model takes it. */
  countsFirst: boolean;
}

interface RefusedItem extends JobItem {
  kind: "refused";
  requestId: string;
  error: PublicError;
}

export type JudgedItem = RunnableItem | RefusedItem;

/** `failAll`: its workers died or broke so often that nothing of it is run any more. */
export function judgeItems(
  items: readonly JobItem[],
  { served, failAll }: { served: ServedModel | undefined; failAll: boolean },
): JudgedItem[] {
  const parser = new ItemParser();
  return items.map((item) => {
    if (failAll) return refuseItem(item, wornOut);
    return served === undefined ? refuseItem(item, notServed) : judgeItem(item, served, parser);
  });
}

function judgeItem(item: JobItem, served: ServedModel, parser: ItemParser): JudgedItem {
  const requestId = newRequestId();
  const refused = (error: PublicError): RefusedItem => {
    return { ...item, kind: "refused", requestId, error };
  };
  const parsed = parser.parse(item.body);
  if (!parsed.ok) return refused(errorFromProblems(parsed.problems));
  const { request } = parsed;
  const verdict = checkAgainstModel(request, served.model);
  if (verdict.kind === "refused") return refused(errorFromProblems(verdict.problems));
  const prompts = new PromptCounter(request, served, requestId);
  const countsFirst = verdict.kind === "count-tokens-first";
  return { ...item, kind: "runnable", requestId, request, prompts, countsFirst };
}

function refuseItem(item: JobItem, error: PublicError): RefusedItem {
  return { ...item, kind: "refused", requestId: newRequestId(), error };
}

/** In tokens: the worst case of what is known of its prompts. */
export function costOf(item: JudgedItem): number {
  if (item.kind === "refused") return 0;
  const { request, prompts } = item;
  return prompts.known.total + countChoices(request) * generatedTokens(request);
}

const wornOut: PublicError = {
  code: "inference_failed",
  message: "What this item was run with broke again and again. Submit it again by itself.",
};

const notServed: PublicError = {
  code: "model_not_found",
  message: "The Job's Model is not served here any more. GET /v1/models lists what is.",
};

function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll("-", "")}`;
}
