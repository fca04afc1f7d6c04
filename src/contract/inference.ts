// What the Worker and a Model's Inference object say to each other. Times are milliseconds since
// 1970 (UTC).
import type { ContainerReport } from "./container-report.ts";
import type { SpendVerdict } from "./spend.ts";

export type ModelState = "cold" | "starting" | "warm";

/** What an isolate keeps for at most `STATUS_FRESH_MS`. */
export interface ModelStatus {
  state: ModelState;
  spend: SpendVerdict;
  /** How long a start takes: the median of the last ones, or what the catalogue says. */
  expectedStartMs: number;
  /** When the start that runs now began, else null. */
  startingSince: number | null;
  /** The last start's duration, or null when none was seen. */
  lastStartMs: number | null;
}

export interface WaitRequest {
  requestId: string;
  /** Bounds how many one person keeps waiting. */
  accountId: string;
  /** Of this person, as many as may run and wait in line at once. */
  mostOfAccount: number;
  /** The wait ends then with whatever the state is. */
  until: number;
}

export type WaitAnswer =
  | { outcome: "warm"; status: ModelStatus }
  /** Paused meanwhile, or the wait is over. */
  | { outcome: "not_warm"; status: ModelStatus }
  /** This person, or all together, keep too many waiting. */
  | { outcome: "line_full" }
  | { outcome: "left" };

/** For /v1/models, admins and the App. */
export interface InferenceSnapshot {
  status: ModelStatus;
  /** The last ones, newest first. */
  starts: { at: number; durationMs: number }[];
  containers: { container: string; since: number; lastSeen: number; ready: boolean }[];
  /** All time. */
  startsTotal: number;
  waiting: number;
  /** What the last question to the backend found, while it is starting. */
  whyNotReady: string | null;
}

/** The Inference object's RPC. Each call is repeatable. */
export interface InferenceRpc {
  /** `used`: a request is at the backend, or was since the last call. */
  status(use: { used: boolean }): Promise<ModelStatus>;
  /** Starts the Model if it is Cold, and answers when it is Warm. */
  awaitWarm(request: WaitRequest): Promise<WaitAnswer>;
  /** Takes a request out of the wait, if it is still in it. */
  leave(requestId: string): Promise<void>;
  /** A Completion found that the backend is not ready, whatever the state says. */
  notReady(): Promise<ModelStatus>;
  /** Starts the Model though nobody waits for it. */
  wake(): Promise<ModelStatus>;
  /** The reporter beside vLLM; a report that was seen before changes nothing. */
  report(report: ContainerReport): Promise<void>;
  /** The SpendLimit object, at once when its verdict changes. */
  spendChanged(verdict: SpendVerdict): Promise<void>;
  /** The revision that passed the conformance suite. */
  passConformance(revision: string): Promise<void>;
  snapshot(): Promise<InferenceSnapshot>;
}
