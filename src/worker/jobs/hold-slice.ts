// One Hold for a slice: the worst case of all its items, by bytes; where that does not fit, by the exact
// counts of the backend's tokenizer; and where that does not, for as many items as do.
import type { SliceAdmission } from "../../contract/account-slices.ts";
import type { SliceClaim, SliceReturn } from "../../contract/jobs.ts";
import { itemsThatFit } from "../../core/slices-fit.ts";
import { accountOf, type ObjectBindings } from "../../durable-objects/objects.ts";
import type { CallPool } from "./call-pool.ts";
import { costOf, type JudgedItem } from "./judge-items.ts";
import { repeatCall } from "./repeat-call.ts";

export type SliceHold =
  /** For the first `items`; the others are to go back. Nothing is held where nothing runs. */
  { kind: "held"; held: number; items: number } | { kind: "back"; returned: SliceReturn };

/** Throws `Refused` when the backend cannot count. */
export async function holdSlice(
  env: ObjectBindings,
  claim: SliceClaim,
  judged: readonly JudgedItem[],
  pool: CallPool,
): Promise<SliceHold> {
  let items = judged;
  for (;;) {
    const costs = items.map(costOf);
    const tokens = costs.reduce((sum, cost) => sum + cost, 0);
    if (tokens === 0) return { kind: "held", held: 0, items: items.length };
    const admission = await admit(env, claim, tokens);
    if (admission.outcome === "admitted") {
      return { kind: "held", held: admission.held, items: items.length };
    }
    const { refusal } = admission;
    if (refusal.reason === "account_disabled") {
      return { kind: "back", returned: { why: "disabled" } };
    }
    if (refusal.reason === "ended") return { kind: "back", returned: { why: "stopped" } };
    if (items.some(isBounded)) {
      await countAll(items, pool);
      continue;
    }
    if (items.length === 1) {
      const { budget, scope, heldWouldFree } = refusal;
      return { kind: "back", returned: { why: "budget", budget, scope, heldWouldFree } };
    }
    // What is available may change until it is asked for again; each time it is for fewer.
    const fit = Math.min(itemsThatFit(costs, refusal.budget.available), items.length - 1);
    items = items.slice(0, Math.max(1, fit));
  }
}

function admit(
  env: ObjectBindings,
  { personId, holdId, keyId, model }: SliceClaim,
  tokens: number,
): Promise<SliceAdmission> {
  const request = { holdId, keyId, model, tokens };
  return repeatCall(() => accountOf(env, personId).admitSlice(request));
}

function isBounded(item: JudgedItem): boolean {
  return item.kind === "runnable" && !item.prompts.known.exact;
}

async function countAll(items: readonly JudgedItem[], pool: CallPool): Promise<void> {
  await Promise.all(
    items.map(async (item) => {
      if (item.kind === "runnable") await pool.run(1, () => item.prompts.count());
    }),
  );
}
