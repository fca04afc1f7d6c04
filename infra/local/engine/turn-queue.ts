// One thread for all requests: who steps next. The lower priority number goes first, as in vLLM's
// scheduler, then whoever waits longest. Between any two turns what came over the network is read.

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
    setImmediate(() => {
      this.#called = false;
      this.#waiting.shift()?.go();
      this.#call();
    });
  }
}
