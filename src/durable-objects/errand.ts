// What an object has to do elsewhere: one call at a time, again after doubling waits until it got there.
// What is to be done is read off the object's rows each time, so that it outlives memory.

const RETRY_AFTER_MS = 250;

/** Long enough not to press on what is down, short enough that tokens are not kept for long. */
const RETRY_AFTER_MOST_MS = 60_000;

/** Memory may be lost while a call is out: the alarm comes so late, and asks again. */
const CALL_LOST_MS = 30_000;

interface ErrandOptions {
  /** For the log. */
  what: string;
  /** From when on there is something to do; null when there is nothing. */
  wantedAt: (now: number) => number | null;
  /** Repeatable. Does some of it, or throws. */
  run: () => Promise<void>;
}

export class Errand {
  readonly #options: ErrandOptions;
  #startedAt = 0;
  #failures = 0;
  #notBefore = 0;
  #current: Promise<void> | null = null;

  constructor(options: ErrandOptions) {
    this.#options = options;
  }

  /** Resolves when what is under way is over, done or not; null when nothing is. */
  get current(): Promise<void> | null {
    return this.#current;
  }

  /** When to look after it next, or null. */
  dueAt(now: number): number | null {
    if (this.#current !== null) {
      const lostAt = this.#startedAt + CALL_LOST_MS;
      // A wait for a Cold Model takes longer: it is looked after again, and not at once each time.
      return lostAt > now ? lostAt : now + CALL_LOST_MS;
    }
    const at = this.#options.wantedAt(now);
    return at === null ? null : Math.max(at, this.#notBefore);
  }

  /** Begins it where it is due; null where it is not. The promise never rejects. */
  begin(now: number): Promise<void> | null {
    const at = this.dueAt(now);
    if (this.#current !== null || at === null || at > now) return null;
    this.#startedAt = now;
    this.#current = this.#attempt().finally(() => {
      this.#current = null;
    });
    return this.#current;
  }

  async #attempt(): Promise<void> {
    try {
      await this.#options.run();
      this.#failures = 0;
    } catch (failure) {
      const waitMs = Math.min(RETRY_AFTER_MS * 2 ** this.#failures, RETRY_AFTER_MOST_MS);
      this.#failures += 1;
      this.#notBefore = Date.now() + waitMs;
      const { what } = this.#options;
      console.error({ event: "errand_failed", what, failure: String(failure) });
    }
  }
}
