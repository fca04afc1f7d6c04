// What Jobs ask of an Account: the Holds of their slices.
import type { BudgetRefusal, CommitMark, TokenUsage } from "./account.ts";

/** What the Account is asked for a slice: no start, no place in the line, no lowering. */
export interface SliceAdmitRequest {
  holdId: string;
  keyId: string;
  model: string;
  /** The worst case of all its items. */
  tokens: number;
}

export type SliceAdmission =
  | { outcome: "admitted"; held: number }
  | { outcome: "refused"; refusal: { reason: "account_disabled" } | { reason: "ended" } }
  | { outcome: "refused"; refusal: BudgetRefusal };

/** The Hold of a slice as it was admitted, so that a restarted Account can go on. */
export interface HeldSlice {
  holdId: string;
  keyId: string;
  model: string;
  held: number;
}

export interface SliceSettlement extends HeldSlice {
  usage: TokenUsage;
  /** How many of its items were charged, for the usage by day. */
  requests: number;
}

/** What of the Account object's RPC is for Jobs. Each call is repeatable. */
export interface AccountSlicesRpc {
  admitSlice(request: SliceAdmitRequest): Promise<SliceAdmission>;
  /**
   * False when the Hold has ended or the person is disabled. A revoked key does not stop a Job. There
   * is no progress: what is not committed runs again, and is charged then.
   */
  renewSlice(hold: HeldSlice): Promise<{ goOn: boolean }>;
  /**
   * Answers when it is durable. A slice's ending is known until `forgetSlices`, however long the Job
   * was away, so that a repeated settlement never charges twice. Zero usage releases the Hold.
   */
  settleSlices(settlements: readonly SliceSettlement[]): Promise<CommitMark>;
  /**
   * Ends the Hold at once as its lease would have: it costs nothing, and what the backend did for it
   * counts as unreported. Should its slice have been committed after all, the settlement puts it right.
   */
  dropSlice(hold: HeldSlice): Promise<void>;
  /**
   * To be called once no settlement of these comes any more: of a slice that was settled, and of its
   * attempts before, whose Holds ended by their leases. Answers when it is durable.
   */
  forgetSlices(holdIds: readonly string[]): Promise<void>;
}
