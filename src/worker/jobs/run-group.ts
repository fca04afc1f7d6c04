// Items that differ in nothing but their prompt, in one request to the backend: what a request costs
// beside its tokens is shared. vLLM gives each prompt of a request the same seed, so only items whose
// own seed is that one, or who need none, may go together. Each gets the line that it would have got
// alone; where the answer cannot be taken apart exactly, each runs alone.
import type { TokenUsage } from "../../contract/account.ts";
import type { Model } from "../../contract/catalogue.ts";
import type { CompletionRequest } from "../../contract/completion-request.ts";
import { TURN_CALLS } from "../../contract/job-limits.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { countChoices } from "../../core/request-size.ts";
import { splitAnswer } from "../../core/split-answer.ts";
import { drawSeed } from "../forward/draw-seed.ts";
import { isRunnable, type JudgedItem, type RunnableItem } from "./judge-items.ts";
import { readAll } from "./receive-answer.ts";
import { answerLine } from "./result-line.ts";
import { type CallSetting, callOnce } from "./run-item.ts";

/** A group takes as many places as it has items, so that a turn's share of the Model stays what it is. */
const GROUP_ITEMS_MOST = TURN_CALLS;

/** The items in their order, those together that may go in one request. */
export function groupItems(items: readonly JudgedItem[], model: Model): JudgedItem[][] {
  const groups: JudgedItem[][] = [];
  let likeLast: string | null = null;
  for (const item of items) {
    const like = item.kind === "refused" ? null : likenessOf(item.request, item.countsFirst);
    const last = groups.at(-1);
    const joins = like !== null && like === likeLast && last !== undefined;
    if (joins && last.length < GROUP_ITEMS_MOST && fits([...last, item], model)) last.push(item);
    else groups.push([item]);
    likeLast = like;
  }
  return groups;
}

/** Equal for items that may share a request; null for one that has to run alone. */
function likenessOf(request: CompletionRequest, countsFirst: boolean): string | null {
  const { prompts, promptShape: _, user: __, ...others } = request;
  const oneSeedDoes = others.seed !== undefined || others.temperature === 0;
  const whole = others.logprobs === -1 || others.promptLogprobs === -1;
  // vLLM leaves the prompt out of an echoed text where token ids are asked for.
  const echoDiffers = others.echo && others.flags.return_token_ids !== true;
  const alone = countsFirst || whole || !oneSeedDoes || echoDiffers;
  if (alone || countChoices(request) !== 1) return null;
  return JSON.stringify([prompts.kind, others]);
}

function fits(items: readonly JudgedItem[], model: Model): boolean {
  return checkAgainstModel(together(items.filter(isRunnable)), model).kind === "fits";
}

function together(items: readonly RunnableItem[]): CompletionRequest {
  const [first] = items;
  if (first === undefined) throw new Error("a group has items");
  const ids: (readonly number[])[] = [];
  const texts: string[] = [];
  for (const { request } of items) {
    if (request.prompts.kind === "ids") ids.push(...request.prompts.ids);
    else texts.push(...request.prompts.texts);
  }
  const areIds = first.request.prompts.kind === "ids";
  return {
    ...first.request,
    prompts: areIds ? { kind: "ids", ids } : { kind: "text", texts },
    promptShape: areIds ? "id-lists" : "strings",
    flags: { ...first.request.flags, return_token_ids: true },
  };
}

export interface OwnLine {
  item: RunnableItem;
  line: Uint8Array;
  usage: TokenUsage;
}

/** Each item's line; null where each has to run alone. */
export async function runGroup(
  items: readonly RunnableItem[],
  setting: CallSetting,
): Promise<OwnLine[] | null> {
  const request = together(items);
  const requestId = items[0]?.requestId ?? "";
  const seed = request.seed ?? drawSeed();
  let answer: Uint8Array | null = null;
  const outcome = await callOnce({ request, requestId, seed }, setting, async ({ body }) => {
    answer = body instanceof Uint8Array ? body : await readAll(body);
  });
  if (outcome.kind !== "answered" || answer === null) return null;
  const ownIds = items.map((item) => item.requestId);
  const keepTokenIds = items[0]?.request.flags.return_token_ids === true;
  const own = splitAnswer({ answer, requestId, ownIds, keepTokenIds });
  if (own === null) {
    console.error({ event: "group_defect", requestId, items: items.length });
    return null;
  }
  return own.flatMap(({ bytes, usage }, at) => {
    const item = items[at];
    if (item === undefined) return [];
    const name = { requestId: item.requestId, customId: item.customId };
    return [{ item, usage, line: answerLine(name, seed, bytes) }];
  });
}
