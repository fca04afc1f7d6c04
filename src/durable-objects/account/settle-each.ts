// Settlements as the ledger takes them; what it finds wrong is logged, without a key or a prompt.
import type { SettleRequest } from "../../contract/account.ts";
import type { SliceSettlement } from "../../contract/account-slices.ts";
import { settle } from "../../core/ledger.ts";
import type { HeldFor, Ledger } from "../../core/ledger-state.ts";
import { asHeld } from "../../core/slices.ts";

/** A Completion counts for one request, a slice for as many as it has items that were charged. */
export interface EndedHold extends HeldFor, Pick<SettleRequest, "usage"> {
  requests?: number;
}

export function asEnded(slice: SliceSettlement): EndedHold {
  return { ...asHeld(slice), usage: slice.usage, requests: slice.requests };
}

export function settleEach(ledger: Ledger, ended: readonly EndedHold[], now: number): void {
  for (const { usage, requests, ...request } of ended) {
    const defect = settle(ledger, request, usage, now, requests);
    if (defect === null) continue;
    const { requestId, held } = request;
    console.error({ event: "settle_defect", defect, requestId, held, usage });
  }
}
