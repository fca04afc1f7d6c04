// Watches of a slice's calls. A controller, a listener and a timer of its own are a third of what a
// small call costs, so each watch goes on to the next call, unless something stopped it.
import { type Watch, watchRequest } from "../forward/watch.ts";

export class Watches {
  /** Stops the calls, each of them. */
  readonly signal: AbortSignal;
  readonly #idle: Watch[] = [];
  #ended = false;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  async use<T>(call: (watch: Watch) => Promise<T>): Promise<T> {
    const watch = this.#idle.pop() ?? watchRequest(this.signal);
    try {
      return await call(watch);
    } finally {
      if (!this.#ended && watch.again()) this.#idle.push(watch);
      else watch.end();
    }
  }

  /** No call begins any more; those that still run end their own. */
  end(): void {
    this.#ended = true;
    for (const watch of this.#idle.splice(0)) watch.end();
  }
}
