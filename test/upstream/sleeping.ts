// What a test in workerd tells the sleeping backend, and hears of it.

/** What a test asks for and hears. */
export interface Sleeping {
  /** The status of /health. */
  health: number;
  /** Of a completion; the answer is right when it is 200. */
  completions: number;
  /** What /metrics says of work that runs, and of tokens that came. */
  running: number;
  tokens: number;
}

export interface Asked {
  health: number;
  completions: number;
  metrics: number;
}
