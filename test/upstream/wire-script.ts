// What a test in workerd tells the scripted server, and hears of it.

export type Step =
  | { text: string; times?: number }
  /** For what cuts a character. */
  | { bytes: number[] }
  /** Goes on when the test opens the gate. */
  | { gate: string }
  /** Ends the connection without ending the answer. */
  | { breakOff: true };

export interface WireScript {
  status?: number;
  headers?: Record<string, string>;
  /** Before the headers. */
  holdHeaders?: string;
  steps: Step[];
}

export interface WireRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}
