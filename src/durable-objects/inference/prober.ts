// One prober for all who wait, and none for a Model that nobody wants: on GPUs that are paid by the
// second, a question keeps a container awake.

interface Shell {
  /** Whether anybody wants to know. */
  wanted(now: number): boolean;
  /** Null when the backend is ready, else why not. */
  probe(): Promise<string | null>;
  ready(): void;
  /** Nobody wants it any more. */
  gaveUp(): void;
  /** How long the start has taken. */
  elapsedMs(now: number): number;
}

/** Between two questions: often at first, then a twentieth of what has passed, so late by 5 %. */
const PAUSE_LEAST_MS = 500;
const PAUSE_MOST_MS = 5_000;
const PAUSE_SHARE = 0.05;

export class Prober {
  readonly #shell: Shell;
  #running = false;
  #endPause: (() => void) | null = null;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** Begins to ask, if it does not already; asks at once where it was pausing. */
  hurry(): void {
    this.#endPause?.();
    if (this.#running) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
    });
  }

  async #run(): Promise<void> {
    const { wanted, probe, ready, gaveUp, elapsedMs } = this.#shell;
    for (;;) {
      if (!wanted(Date.now())) return gaveUp();
      // Read again after each wait: a pause or a report may have come meanwhile.
      if ((await probe()) === null) {
        if (wanted(Date.now())) return ready();
        return gaveUp();
      }
      const share = elapsedMs(Date.now()) * PAUSE_SHARE;
      await this.#pause(Math.min(PAUSE_MOST_MS, Math.max(PAUSE_LEAST_MS, share)));
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = null;
  }
}
