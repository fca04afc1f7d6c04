// A start from zero with a set duration: 503 until then, as a platform answers for a container that
// is not there yet. The first request begins it; an idle time ends it.

export class ColdStart {
  readonly #startMs: number;
  readonly #idleMs: number;
  #readyAt: number | undefined;
  #lastUsed = 0;
  #inUse = 0;
  /** How often it began. */
  count = 0;

  constructor(startSeconds: number, idleSeconds: number) {
    this.#startMs = startSeconds * 1000;
    this.#idleMs = idleSeconds * 1000;
  }

  /** Without beginning one. */
  isUp(now: number): boolean {
    if (this.#startMs === 0) return true;
    return this.#readyAt !== undefined && now >= this.#readyAt && !this.#isIdle(now);
  }

  #isIdle(now: number): boolean {
    return this.#idleMs > 0 && this.#inUse === 0 && now - this.#lastUsed > this.#idleMs;
  }

  /** Begins the start if there is none yet; says whether it is over. */
  touch(now: number): boolean {
    if (this.#startMs === 0) return true;
    const ready = this.#readyAt !== undefined && now >= this.#readyAt;
    if (this.#readyAt === undefined || (ready && this.#isIdle(now))) {
      this.#readyAt = now + this.#startMs;
      this.count++;
    }
    this.#lastUsed = now;
    return now >= this.#readyAt;
  }

  /** Counts a request that keeps the model up; call what it returns once it has ended. */
  use(now: () => number): () => void {
    this.#inUse++;
    return () => {
      this.#inUse--;
      this.#lastUsed = now();
    };
  }
}
