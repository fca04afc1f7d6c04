// A turn's calls to the backend: so many at once, the others in the order in which they came.

export class CallPool {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #onRoom: (() => void)[] = [];

  constructor(calls: number) {
    this.#free = calls;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
      if (this.#waiting.length < ROOM) this.#tellRoom();
    }
  }

  /** Resolves when few calls wait: what comes next has to be fetched before the pool runs dry. */
  async room(): Promise<void> {
    if (this.#waiting.length < ROOM) return;
    await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  #tellRoom(): void {
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiting) resolve();
  }
}

/** A slice is claimed, read and held in the time that so many calls take. */
const ROOM = 4;
