// What was approved is granted, also when whoever approved it was cut off before they could: then by the
// Directory itself, again until the Account has it and the person's Jobs have heard of it.
import { GRANT_DUE_AFTER_MS } from "../../contract/limits.ts";
import { approvedGrant } from "../../core/approved-grant.ts";
import { Errand } from "../errand.ts";
import { accountOf, jobListOf, type ObjectBindings } from "../objects.ts";
import { findTokenRequest, nextGrantDue, noteGranted } from "./token-request-rows.ts";

/** One at a time: they are few, and each has its own Account. */
export function giveGrantsDue(sql: SqlStorage, env: ObjectBindings): Errand {
  return new Errand({
    what: "grants_due",
    wantedAt: () => {
      const due = nextGrantDue(sql);
      return due === null ? null : due.decidedAt + GRANT_DUE_AFTER_MS;
    },
    run: async () => {
      const id = nextGrantDue(sql)?.requestId;
      const request = id === undefined ? null : findTokenRequest(sql, id);
      const grant = request === null ? null : approvedGrant(request);
      if (request === null || grant === null) throw new Error(`${id} is due and not approved`);
      const given = await accountOf(env, request.personId).grant(grant);
      if (!given.ok) throw new Error(`${id} was not granted: ${given.reason}`);
      await jobListOf(env, request.personId).tokensChanged();
      noteGranted(sql, request.id);
    },
  });
}
