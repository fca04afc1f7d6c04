// Renewals that wait for news. A renewal that waited its whole time costs no more calls than one that
// is answered at once and made again later; but of a key that ends its request hears in that moment.
interface Waiting {
  answer: () => void;
  timer: ReturnType<typeof setTimeout>;
}

export class Renewals {
  readonly #waiting = new Map<string, Waiting>();

  /** Resolves after `ms`, or sooner when there may be news, or when the request has ended. */
  news(requestId: string, ms: number): Promise<void> {
    this.ended(requestId);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.ended(requestId), ms);
      this.#waiting.set(requestId, { answer: resolve, timer });
    });
  }

  /** Nobody waits for this one's news any more. */
  ended(requestId: string): void {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return;
    this.#waiting.delete(requestId);
    clearTimeout(waiting.timer);
    waiting.answer();
  }

  /** Lets all look again; those that may go on come back. */
  tell(): void {
    for (const requestId of [...this.#waiting.keys()]) this.ended(requestId);
  }
}
