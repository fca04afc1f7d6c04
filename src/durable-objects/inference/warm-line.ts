// Those who wait for a Cold Model. One object call each, answered when the Model is Warm, when it will
// not be, or when their time is over; whoever leaves is forgotten and costs nothing.
import type { ModelStatus, WaitAnswer, WaitRequest } from "../../contract/inference.ts";
import { WAITING_MOST } from "../../contract/limits.ts";

interface Waiter {
  request: WaitRequest;
  answer: (answer: WaitAnswer) => void;
}

export class WarmLine {
  readonly #waiters = new Map<string, Waiter>();
  readonly #ofAccount = new Map<string, number>();
  readonly #status: () => ModelStatus;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #timerAt = 0;

  constructor(status: () => ModelStatus) {
    this.#status = status;
  }

  get length(): number {
    return this.#waiters.size;
  }

  /** False for who left, or found the line full. */
  has(requestId: string): boolean {
    return this.#waiters.has(requestId);
  }

  /** A repeat of the same request takes the place of the one before. */
  async enter(request: WaitRequest): Promise<WaitAnswer> {
    this.leave(request.requestId);
    const { accountId, mostOfAccount } = request;
    const ofAccount = this.#ofAccount.get(accountId) ?? 0;
    if (this.#waiters.size >= WAITING_MOST || ofAccount >= mostOfAccount) {
      return { outcome: "line_full" };
    }
    return await new Promise<WaitAnswer>((answer) => {
      this.#waiters.set(request.requestId, { request, answer });
      this.#ofAccount.set(accountId, ofAccount + 1);
      this.#watch(request.until);
    });
  }

  leave(requestId: string): void {
    this.#end(requestId, { outcome: "left" });
  }

  answer(requestId: string, outcome: "warm" | "not_warm"): void {
    this.#end(requestId, { outcome, status: this.#status() });
  }

  answerAll(outcome: "warm" | "not_warm"): void {
    for (const requestId of [...this.#waiters.keys()]) this.answer(requestId, outcome);
  }

  #end(requestId: string, answer: WaitAnswer): void {
    const waiter = this.#waiters.get(requestId);
    if (waiter === undefined) return;
    this.#waiters.delete(requestId);
    const { accountId } = waiter.request;
    const left = (this.#ofAccount.get(accountId) ?? 1) - 1;
    if (left > 0) this.#ofAccount.set(accountId, left);
    else this.#ofAccount.delete(accountId);
    // A timer that is left would keep the object in memory, which is paid for.
    if (this.#waiters.size === 0) this.#rest();
    waiter.answer(answer);
  }

  /** One timer for the whole line: the deadline that comes first. */
  #watch(until: number): void {
    if (this.#timer !== null && this.#timerAt <= until) return;
    this.#rest();
    this.#timerAt = until;
    this.#timer = setTimeout(() => this.#endOverdue(), Math.max(1, until - Date.now()));
  }

  #rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #endOverdue(): void {
    this.#timer = null;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { request } of [...this.#waiters.values()]) {
      if (request.until > now) next = Math.min(next, request.until);
      else this.answer(request.requestId, "not_warm");
    }
    if (next !== Number.POSITIVE_INFINITY) this.#watch(next);
  }
}
