// What a test in workerd tells the scripted backend, and hears of it.

export interface Script {
  /** Answers nothing before the test says so. */
  holdBefore?: boolean;
  /** Counts no tokens before the test says so. */
  holdTokenizer?: boolean;
  /** Of a stream: so many tokens at once, the others when the test says so. */
  holdAfter?: number;
  /** Answers with this status and body instead. */
  status?: number;
  body?: string;
  /** Answers several Completions at once with this status instead of with theirs. */
  bundleStatus?: number;
}

export interface Seen {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  /** The answer went out whole. */
  answered: boolean;
  /** The caller hung up before the answer was whole. */
  aborted: boolean;
}
