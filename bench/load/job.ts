// What the measuring side asks of the load process, and what it gets back.

export interface Job {
  host: string;
  port: number;
  /** One whole HTTP request for each connection, as it goes over the wire again and again. */
  requests: readonly string[];
  /** Exchanges on each connection that come first and are not counted. */
  warmUps: number;
  /** When each connection stops. */
  until: { exchanges: number } | { milliseconds: number };
}

/** One request and its answer; times count from the moment the request was written. */
export interface Exchange {
  status: number;
  bodyBytes: number;
  /** Server-sent events; 0 for a plain answer. */
  events: number;
  /** First bytes of the body; for a stream, its first token. */
  firstBodyMs: number;
  totalMs: number;
}

export interface JobResult {
  exchanges: Exchange[];
  /** From the first counted request to the last byte of the last answer. */
  elapsedMs: number;
  /** What the load process itself used meanwhile, to see that it was not what was measured. */
  clientCpuMs: number;
}

export type JobAnswer = { ok: true; result: JobResult } | { ok: false; message: string };
