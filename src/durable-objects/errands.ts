// An object's errands and its one alarm, which sees to whatever is due next.
import type { Errand } from "./errand.ts";

export class Errands {
  readonly #context: DurableObjectState;
  readonly #errands: readonly Errand[];
  #alarmAt = 0;

  constructor(context: DurableObjectState, errands: readonly Errand[]) {
    this.#context = context;
    this.#errands = errands;
  }

  /**
   * Begins what is due, and sets the alarm for what is due later, `also` among it. An alarm that is
   * overdue when the object starts may not come, at least in local workerd: so every call comes here.
   */
  tend(now: number, also: () => number | null): void {
    for (const errand of this.#errands) {
      const begun = errand.begin(now);
      if (begun === null) continue;
      this.#context.waitUntil(begun.then(() => this.tend(Date.now(), also)));
    }
    const times = [also(), ...this.#errands.map((errand) => errand.dueAt(now))];
    const next = Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
    if (Number.isFinite(next)) this.#wakeAt(next, now);
  }

  /** By the clock that sets alarms off, which may be ahead of the one that is read here. */
  alarmCame(): void {
    this.#alarmAt = 0;
  }

  /** An alarm that comes before stays: it finds nothing to do and sets the next. */
  #wakeAt(at: number, now: number): void {
    if (this.#alarmAt > now && this.#alarmAt <= at) return;
    this.#alarmAt = Math.max(at, now + 1);
    this.#context.waitUntil(this.#context.storage.setAlarm(this.#alarmAt));
  }
}
