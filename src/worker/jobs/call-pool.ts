// A turn's places at the backend: so many items at once, the others in the order in which they came.

interface Waiter {
  places: number;
  start: () => void;
}

export class CallPool {
  #free: number;
  readonly #waiting: Waiter[] = [];
  #onRoom: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** `places` are at most what the pool has. */
  async run<T>(places: number, call: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#free >= places) this.#free -= places;
    else await new Promise<void>((start) => this.#waiting.push({ places, start }));
    try {
      return await call();
    } finally {
      this.#free += places;
      this.#startNext();
      if (this.#waiting.length < ROOM) this.#tellRoom();
    }
  }

  /** Resolves when few calls wait: what comes next has to be fetched before the pool runs dry. */
  async room(): Promise<void> {
    if (this.#waiting.length < ROOM) return;
    await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.places <= this.#free; ) {
      this.#free -= next.places;
      this.#waiting.shift();
      next.start();
      next = this.#waiting[0];
    }
  }

  #tellRoom(): void {
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiting) resolve();
  }
}

/** A slice is claimed, read and held in the time that so many calls take. */
const ROOM = 4;
