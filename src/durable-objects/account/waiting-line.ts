import type { Admission, AdmitRequest } from "../../contract/account.ts";

export interface Waiter {
  request: AdmitRequest;
  answer: (admission: Admission) => void;
  /** When it stops waiting, in ms. */
  until: number;
}

/** The Completions of one person that wait for a place to run: first come, first served. */
export class WaitingLine {
  #waiters: Waiter[] = [];

  get length(): number {
    return this.#waiters.length;
  }

  /** When the one who came first stops waiting, or null. */
  get nextDeadline(): number | null {
    return this.#waiters[0]?.until ?? null;
  }

  enter(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  takeFirst(): Waiter | null {
    return this.#waiters.shift() ?? null;
  }

  /** Takes out all that meet the condition. */
  takeWhere(condition: (waiter: Waiter) => boolean): Waiter[] {
    const taken = this.#waiters.filter(condition);
    if (taken.length > 0) this.#waiters = this.#waiters.filter((waiter) => !condition(waiter));
    return taken;
  }
}
