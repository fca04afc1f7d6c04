// Why no token comes yet, where a Model that has to start is the reason: said from the first second on,
// until something comes. No elements.
import type { AnswerHead } from "./client.ts";
import type { ModelState } from "./model-state.ts";

/** A Warm Model has answered by then, most of the time. */
const FIRST_LOOK_MS = 1_000;
/** Read out by screen readers: not so often that nobody can listen. */
const LOOK_EVERY_MS = 5_000;

interface Wait {
  model: string;
  /** Since the request was sent. */
  seconds: number;
  /** How long its last start took; null before its first. */
  lastStartSeconds: number | null;
  /** How long it will take from now, by the service's estimate; null before it has given one. */
  aboutSeconds: number | null;
}

export function waitingWords({ model, seconds, lastStartSeconds, aboutSeconds }: Wait): string {
  const soFar = `${model} was Cold and is starting, ${Math.round(seconds)} s so far`;
  const last = lastStartSeconds === null ? "" : `; its last start took ${span(lastStartSeconds)}`;
  const about = aboutSeconds === null ? "" : `; about ${span(aboutSeconds)} more by the estimate`;
  return `${soFar}${about || last}. Waiting costs no tokens. Stop ends the wait.`;
}

function span(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

export class ColdWait {
  readonly #model: string;
  readonly #look: () => Promise<[ModelState, AnswerHead]>;
  readonly #say: (words: string) => void;
  readonly #began = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #hasWaited = false;
  #about: { seconds: number; at: number } | null = null;

  constructor(
    model: string,
    look: () => Promise<[ModelState, AnswerHead]>,
    say: (words: string) => void,
  ) {
    this.#model = model;
    this.#look = look;
    this.#say = say;
    this.#soon(FIRST_LOOK_MS);
  }

  /** The API's own comment in a stream that waits, such as `waiting for local, about 5 s`. */
  heard(comment: string): void {
    const seconds = /about (\d+) s/.exec(comment)?.[1];
    if (seconds !== undefined) this.#about = { seconds: Number(seconds), at: performance.now() };
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #soon(ms: number): void {
    this.#timer = setTimeout(() => void this.#tell(), ms);
  }

  async #tell(): Promise<void> {
    // Who cannot be asked is asked again; the request itself says what is wrong.
    const [state] = await this.#look().catch(() => [null]);
    if (this.#isOver) return;
    if (state !== null && state.warm !== "warm") {
      this.#hasWaited = true;
      this.#say(this.#words(state));
    } else if (this.#hasWaited) {
      this.#say(`${this.#model} is Warm. Waiting for the first token…`);
    }
    this.#soon(LOOK_EVERY_MS);
  }

  #words({ last_cold_start_seconds: lastStartSeconds }: ModelState): string {
    const now = performance.now();
    const about = this.#about;
    const left = about === null ? 0 : about.seconds - (now - about.at) / 1_000;
    const aboutSeconds = left >= 1 ? left : null;
    const seconds = (now - this.#began) / 1_000;
    return waitingWords({ model: this.#model, seconds, lastStartSeconds, aboutSeconds });
  }
}
