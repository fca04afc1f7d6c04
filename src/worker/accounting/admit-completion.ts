// From a valid request to a Hold. One call of the Account on the ordinary way; a second one, with the
// prompt's exact count from the backend, only where the bound by bytes does not fit.
import type { AccountFigures, AdmitRequest } from "../../contract/account.ts";
import { pack, unpack } from "../../contract/packed.ts";
import { type AccountLink, isRestart } from "../../durable-objects/objects.ts";
import type { Watch } from "../forward/watch.ts";
import { publicRefusal, Refused } from "../refuse.ts";
import type { PromptCounter } from "./prompt-counter.ts";
import { withRiders } from "./settle-hold.ts";

export interface Admitted {
  keyId: string;
  held: number;
  maxTokens: number;
}

export interface AdmitInput {
  account: AccountLink;
  accountId: string;
  request: Omit<AdmitRequest, "promptTokens" | "promptTokensExact">;
  prompts: PromptCounter;
  /** Stopped where the client left. */
  watch: Watch;
  /** Told of every answer, also of a refusal. */
  onFigures: (figures: AccountFigures | null) => void;
}

/** A Durable Object call is repeated so often when the object was restarting. */
const ADMIT_ATTEMPTS = 3;

/** Throws `Refused`. Null when the client left before it was admitted; nothing is held then. */
export async function admitCompletion(input: AdmitInput): Promise<Admitted | null> {
  const { account, request, watch } = input;
  let asking = true;
  watch.onStop(() => {
    if (asking)
      account()
        .leave(request.requestId)
        .catch(() => undefined);
  });
  try {
    const first = await askAccount(input, input.prompts.known);
    if (first.outcome !== "count_first") return first.outcome === "left" ? null : first.admitted;
    const second = await askAccount(input, { total: await input.prompts.count(), exact: true });
    if (second.outcome === "count_first") throw new Error("an exact count was asked for twice");
    return second.outcome === "left" ? null : second.admitted;
  } finally {
    asking = false;
  }
}

type Answer =
  | { outcome: "admitted"; admitted: Admitted }
  | { outcome: "count_first" }
  | { outcome: "left" };

async function askAccount(
  input: AdmitInput,
  tokens: { total: number; exact: boolean },
): Promise<Answer> {
  // Who left before takes no place in the line: nobody would tell the Account to give it up.
  if (input.watch.stopped() !== null) return { outcome: "left" };
  const request: AdmitRequest = {
    ...input.request,
    promptTokens: tokens.total,
    promptTokensExact: tokens.exact,
  };
  const admission = await withRiders(input.accountId, async (riders) => {
    const call = pack({ request, ended: riders?.requests ?? [] });
    const answer = unpack(await repeatWhileRestarting((fresh) => input.account(fresh).admit(call)));
    if (answer.settled !== undefined) riders?.arrived(answer.settled);
    return answer;
  });
  input.onFigures(admission.figures);
  if (admission.outcome === "admitted") {
    const { keyId, held, maxTokens } = admission;
    return { outcome: "admitted", admitted: { keyId, held, maxTokens } };
  }
  if (admission.refusal.reason === "count_first") return { outcome: "count_first" };
  if (input.watch.stopped() !== null) return { outcome: "left" };
  throw new Refused(publicRefusal(admission.refusal));
}

async function repeatWhileRestarting<T>(call: (fresh: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt > 1);
    } catch (failure) {
      if (!isRestart(failure) || attempt === ADMIT_ATTEMPTS) throw failure;
    }
  }
}
