// Asking for tokens and answering: the Directory decides, and only what it has decided is granted.
import type { Context } from "hono";
import type { GrantRecord } from "../../contract/account.ts";
import { AskForTokensBody } from "../../contract/admin.ts";
import type { Decided, Decision, TokenRequest } from "../../contract/directory.ts";
import { approvedGrant } from "../../core/approved-grant.ts";
import { accountOf, directoryOf } from "../../durable-objects/objects.ts";
import { parseInput } from "../api/parse-input.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import { answered, knownPerson, nothingHere } from "./answered.ts";
import { record } from "./audit-row.ts";
import { requireAdminDoer } from "./doer.ts";
import { tellJobs } from "./tell-jobs.ts";

export interface Approval {
  /** As many as were asked for, when absent. */
  tokens?: number | undefined;
  note: string;
}

/**
 * For oneself; repeatable by the `id`. Throws `Refused` 400, and 409 while another request of the
 * person is open.
 */
export async function askForTokens(
  c: Context<AppEnv>,
  who: string,
  ask: { id?: string | undefined; tokens: number; reason: string },
): Promise<TokenRequest> {
  const { id: repeatId, tokens, reason } = parseInput(AskForTokensBody, ask);
  await knownPerson(c, who);
  const id = `request_${who}_${repeatId ?? crypto.randomUUID().replaceAll("-", "")}`;
  const directory = directoryOf(c.env);
  const asked = await directory.askForTokens({ id, personId: who, tokens, reason });
  if (!asked.ok && asked.reason === "conflict" && (await directory.tokenRequest(id)) === null) {
    const message = "You have an open request. Wait for its answer, or withdraw it first.";
    throw new Refused({ code: "conflict", message });
  }
  const request = answered(asked, "A request with this id has other content.");
  const detail = { request: id, tokens };
  await record(c, { who, what: "request.ask", whom: who, detail, repeatId: id });
  return request;
}

/** One's own. Throws `Refused`: 404, and 409 once it is decided. */
export async function withdrawRequest(
  c: Context<AppEnv>,
  who: string,
  id: string,
): Promise<TokenRequest> {
  const withdrawn = await directoryOf(c.env).withdrawTokenRequest(who, id);
  if (!withdrawn.ok && withdrawn.reason === "conflict") {
    const message = "This request has its answer already, and cannot be withdrawn.";
    throw new Refused({ code: "conflict", message });
  }
  const request = answered(withdrawn, "");
  const detail = { request: id };
  await record(c, { who, what: "request.withdraw", whom: who, detail, repeatId: id });
  return request;
}

/**
 * The first decision counts, and gives its Grant once. Throws `Refused` 409 when it was decided
 * otherwise before.
 */
export async function approveRequest(
  c: Context<AppEnv>,
  who: string,
  id: string,
  { tokens, note }: Approval,
): Promise<{ request: TokenRequest; grant: GrantRecord }> {
  await requireAdminDoer(c, who);
  const asked = await directoryOf(c.env).tokenRequest(id);
  if (asked === null) throw nothingHere();
  const decision: Decision = {
    ...{ decision: "approved", by: who, tokens: tokens ?? asked.tokens, note },
  };
  const { request, grant } = await decide(c, id, decision);
  if (grant === null) throw new Error("an approved request has no Grant");
  return { request, grant };
}

/** The note tells the person why. Throws `Refused` 409 when it was decided otherwise before. */
export async function rejectRequest(
  c: Context<AppEnv>,
  who: string,
  id: string,
  { note }: { note: string },
): Promise<TokenRequest> {
  await requireAdminDoer(c, who);
  const { request } = await decide(c, id, { decision: "rejected", by: who, tokens: 0, note });
  return request;
}

async function decide(
  c: Context<AppEnv>,
  id: string,
  decision: Decision,
): Promise<{ request: TokenRequest; grant: GrantRecord | null }> {
  const decided = await directoryOf(c.env).decideTokenRequest(id, decision);
  if (decided.outcome === "unknown") throw nothingHere();
  // Also for another decision than ours, whose Grant may still be due.
  const grant = await carryOut(c, decided.request);
  if (decided.outcome === "decided_before") throw await decidedBefore(c, decided);
  return { request: decided.request, grant };
}

/** Gives what was approved. Where this is cut off, the Directory does it some seconds later. */
async function carryOut(c: Context<AppEnv>, request: TokenRequest): Promise<GrantRecord | null> {
  const grant = approvedGrant(request);
  if (grant === null) return null;
  const given = answered(await accountOf(c.env, request.personId).grant(grant), "");
  await tellJobs(c, request.personId, "tokensChanged");
  await directoryOf(c.env).granted(request.id);
  return given;
}

async function decidedBefore(
  c: Context<AppEnv>,
  { request }: Extract<Decided, { outcome: "decided_before" }>,
): Promise<Refused> {
  const { state, decidedBy, granted } = request;
  if (decidedBy === null) {
    return new Refused({ code: "conflict", message: "The person has withdrawn this request." });
  }
  const by = (await directoryOf(c.env).person(decidedBy))?.email ?? decidedBy;
  const what = granted === null ? state : `${state} with ${granted} tokens`;
  return new Refused({ code: "conflict", message: `This request was ${what} before, by ${by}.` });
}
