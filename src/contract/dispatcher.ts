// What the Worker, its queue consumer and a Model's Dispatcher object say to each other.
import type { ModelWait } from "./jobs.ts";

/** A turn: leave to work on one Job's slices until told to give way. The queue's message. */
export interface JobTurn {
  ticket: string;
  jobId: string;
  model: string;
}

/** One object a Model: hands out turns, fairly between people, and waits for a Cold Model for all. */
export interface DispatcherRpc {
  /** The Job has something to do. */
  enter(job: { jobId: string; personId: string }): Promise<void>;
  /** It has not: cancelled, drained, or waiting for tokens. */
  leave(jobId: string): Promise<void>;
  /** False for a ticket that has begun, ended or expired: a message may be delivered twice. */
  begin(ticket: string): Promise<boolean>;
  /** Keeps the ticket. `goOn` false: give way, somebody else's turn has come, or the Model waits. */
  renew(ticket: string): Promise<{ goOn: boolean }>;
  end(ticket: string, how: { drained: boolean; modelNotReady: boolean }): Promise<void>;
  snapshot(): Promise<DispatcherSnapshot>;
}

export interface DispatcherSnapshot {
  jobs: { jobId: string; personId: string; turns: number }[];
  waitsFor: ModelWait | null;
}
