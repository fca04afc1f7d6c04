// At most so many sequences run at once; the others wait by priority, then by arrival.
import type { Metrics } from "./metrics.ts";

interface Waiter {
  readonly priority: number;
  readonly arrival: number;
  readonly start: () => void;
}

/** One sequence's place, from its arrival to its end. Leaving twice is leaving once. */
export interface Place {
  leave(): void;
}

export class Scheduler {
  readonly #limit: number;
  readonly #metrics: Metrics;
  #running = 0;
  #arrivals = 0;
  #waiting: Waiter[] = [];

  constructor(limit: number, metrics: Metrics) {
    this.#limit = limit;
    this.#metrics = metrics;
  }

  /** Takes a place; `start` is called at once if one is free, else when one becomes free. */
  enter(priority: number, start: () => void): Place {
    let state: "waiting" | "running" | "gone" = "waiting";
    const waiter: Waiter = {
      priority,
      arrival: this.#arrivals++,
      start: () => {
        state = "running";
        start();
      },
    };
    this.#insert(waiter);
    this.#fill();
    return {
      leave: () => {
        if (state === "waiting") this.#waiting = this.#waiting.filter((other) => other !== waiter);
        if (state === "running") this.#running--;
        state = "gone";
        this.#fill();
      },
    };
  }

  #insert(waiter: Waiter): void {
    const later = (other: Waiter) => other.priority > waiter.priority;
    const last = this.#waiting.at(-1);
    if (last === undefined || !later(last)) this.#waiting.push(waiter);
    else this.#waiting.splice(this.#waiting.findIndex(later), 0, waiter);
  }

  #fill(): void {
    while (this.#running < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#running++;
      next.start();
    }
    this.#metrics.running = this.#running;
    this.#metrics.waiting = this.#waiting.length;
  }
}
