// What an Account does for Jobs' slices: the shell around core/slices.
import type { CommitMark } from "../../contract/account.ts";
import type {
  AccountSlicesRpc,
  HeldSlice,
  SliceAdmission,
  SliceAdmitRequest,
  SliceSettlement,
} from "../../contract/account-slices.ts";
import type { AccountState } from "../../core/admission.ts";
import { forgetSlices } from "../../core/ledger.ts";
import { admitSlice, dropSlice, renewSlice } from "../../core/slices.ts";
import { asEnded, type EndedHold } from "./settle-each.ts";
import type { WriteBehind } from "./write-behind.ts";

interface Shell {
  /** The state as of now; null for an Account that was never opened. */
  current: () => AccountState | null;
  settle: (state: AccountState, ended: readonly EndedHold[]) => CommitMark;
  /** Tokens came free. */
  freed: (state: AccountState) => void;
  writeBehind: WriteBehind;
  leaseMs: number;
}

export class SliceHolds implements AccountSlicesRpc {
  readonly #shell: Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  async admitSlice(request: SliceAdmitRequest): Promise<SliceAdmission> {
    const { current, writeBehind, leaseMs } = this.#shell;
    const state = current();
    if (state === null) return { outcome: "refused", refusal: { reason: "account_disabled" } };
    const admission = admitSlice(state, request, Date.now(), leaseMs);
    if (admission.outcome === "admitted") writeBehind.asNeeded(state);
    return admission;
  }

  async renewSlice(slice: HeldSlice): Promise<{ goOn: boolean }> {
    const { current, writeBehind, leaseMs } = this.#shell;
    const state = current();
    if (state === null) return { goOn: false };
    const goOn = renewSlice(state, slice, Date.now() + leaseMs);
    writeBehind.asNeeded(state);
    return { goOn };
  }

  async dropSlice(slice: HeldSlice): Promise<void> {
    const { current, writeBehind, freed } = this.#shell;
    const state = current();
    if (state === null) return;
    dropSlice(state, slice, Date.now());
    writeBehind.asNeeded(state);
    freed(state);
  }

  async settleSlices(settlements: readonly SliceSettlement[]): Promise<CommitMark> {
    const { current, settle, writeBehind } = this.#shell;
    const state = current();
    if (state === null) return { incarnation: "", commit: 0 };
    const mark = settle(state, settlements.map(asEnded));
    await writeBehind.written(mark);
    return mark;
  }

  async forgetSlices(holdIds: readonly string[]): Promise<void> {
    const { current, writeBehind } = this.#shell;
    const state = current();
    if (state === null) return;
    forgetSlices(state.ledger, holdIds, Date.now());
    await writeBehind.written(writeBehind.mark(state));
  }
}
