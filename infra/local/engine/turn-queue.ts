// One thread for all requests: who steps next. The lower priority number goes first, as in vLLM's
// scheduler, then whoever waits longest. Short turns follow each other at once; then what came over
// the network is read.

/** Of short turns in a row: so long at most does a request lie unread that would go before them. */
const ROW_MS = 1;

interface Waiter {
  readonly priority: number;
  readonly go: () => void;
}

export class TurnQueue {
  #waiting: Waiter[] = [];
  #called = false;

  next(priority: number): Promise<void> {
    return new Promise((go) => {
      const at = this.#waiting.findIndex((other) => other.priority > priority);
      if (at < 0) this.#waiting.push({ priority, go });
      else this.#waiting.splice(at, 0, { priority, go });
      this.#call();
    });
  }

  #call(): void {
    if (this.#called || this.#waiting.length === 0) return;
    this.#called = true;
    setImmediate(() => this.#turn(performance.now()));
  }

  #turn(rowBegan: number): void {
    this.#waiting.shift()?.go();
    // A tick comes when nothing is left that whoever just went can do without waiting.
    queueMicrotask(() => process.nextTick(() => this.#afterTurn(rowBegan)));
  }

  #afterTurn(rowBegan: number): void {
    if (this.#waiting.length > 0 && performance.now() - rowBegan < ROW_MS) {
      this.#turn(rowBegan);
      return;
    }
    this.#called = false;
    this.#call();
  }
}
