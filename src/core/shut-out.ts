// Who is shut out for a while. Decides only: no clock, it takes `now`; times are in ms.

export class ShutOut {
  readonly #most: number;
  readonly #until = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether nobody is shut out: then nobody need be asked for. */
  get isEmpty(): boolean {
    return this.#until.size === 0;
  }

  /** How long yet, or 0. */
  waitMs(who: string, now: number): number {
    const until = this.#until.get(who);
    if (until === undefined) return 0;
    if (until > now) return until - now;
    this.#until.delete(who);
    return 0;
  }

  /** Whoever was shut out first makes room: who still fails is shut out again soon. */
  shut(who: string, until: number): void {
    this.#until.delete(who);
    const [first] = this.#until.keys();
    if (this.#until.size >= this.#most && first !== undefined) this.#until.delete(first);
    this.#until.set(who, until);
  }
}
