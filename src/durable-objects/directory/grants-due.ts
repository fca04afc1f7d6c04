// What was approved is granted, also when whoever approved it was cut off before they could: then by the
// Directory itself, again until the Account has it and the person's Jobs have heard of it.
import { GRANT_DUE_AFTER_MS } from "../../contract/limits.ts";
import { approvedGrant } from "../../core/approved-grant.ts";
import { Errand } from "../errand.ts";
import { accountOf, jobListOf, type ObjectBindings } from "../objects.ts";
import { findTokenRequest, grantsDue, noteGranted } from "./token-request-rows.ts";

/** Far more than are cut off at once: so many that fail keep none behind them waiting. */
const GRANTS_A_RUN = 50;

/** One after another: they are few, and each has its own Account. */
export function giveGrantsDue(sql: SqlStorage, env: ObjectBindings): Errand {
  return new Errand({
    what: "grants_due",
    wantedAt: () => {
      const [due] = grantsDue(sql, 1);
      return due === undefined ? null : due.decidedAt + GRANT_DUE_AFTER_MS;
    },
    run: async () => {
      const until = Date.now() - GRANT_DUE_AFTER_MS;
      const due = grantsDue(sql, GRANTS_A_RUN).filter(({ decidedAt }) => decidedAt <= until);
      const failures: unknown[] = [];
      for (const { requestId } of due) {
        await give(sql, env, requestId).catch((failure: unknown) => failures.push(failure));
      }
      // What failed is tried again, and what was given is not.
      if (failures.length > 0) throw failures[0];
    },
  });
}

async function give(sql: SqlStorage, env: ObjectBindings, id: string): Promise<void> {
  const request = findTokenRequest(sql, id);
  const grant = request === null ? null : approvedGrant(request);
  if (request === null || grant === null) throw new Error(`${id} is due and not approved`);
  const given = await accountOf(env, request.personId).grant(grant);
  if (!given.ok) throw new Error(`${id} was not granted: ${given.reason}`);
  await jobListOf(env, request.personId).tokensChanged();
  noteGranted(sql, request.id);
}
