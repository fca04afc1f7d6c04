// One request to a backend under watch: the client that may leave, the waits that may take too long,
// the gateway that may cut it. Whatever comes first stops the request, in the same tick.
import type { PublicError } from "../../contract/errors.ts";

type Stop =
  | { why: "client_left" }
  | { why: "timeout"; error: PublicError }
  | { why: "cut"; error: PublicError };

interface Alarm {
  at: number;
  action: () => void;
}

export interface Watch {
  /** Aborted by the stop; for the upstream `fetch`. */
  readonly signal: AbortSignal;
  stopped(): Stop | null;
  /** The first one counts. */
  stop(stop: Stop): void;
  /** Called once, in the tick of the stop; at once when it was before. */
  onStop(action: (stop: Stop) => void): void;
  /** From now on `late` is called after `limitMs`, unless another wait begins or ends before. */
  wait(limitMs: number, late: () => void): void;
  rest(): void;
  /** `action` is called each `everyMs`, whatever is waited for. */
  every(everyMs: number, action: () => void): void;
  /** Ready for the next request of the same client: what was waited for is forgotten. False if it is over. */
  again(): boolean;
  /** No timer and no listener is left. */
  end(): void;
  /** It was ended, or something stopped it. */
  isOver(): boolean;
}

/** A timer that looks so soon serves shorter waits that follow a long one; few requests take longer. */
const LOOK_AFTER_MS = 5_000;

/** The signal of a request needs the compatibility flag `enable_request_signal`. */
export function watchRequest(clientSignal: AbortSignal): Watch {
  const upstream = new AbortController();
  const actions: ((stop: Stop) => void)[] = [];
  let stopped: Stop | null = null;
  let ended = false;
  let late: Alarm | null = null;
  let beat: (Alarm & { everyMs: number }) | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let timerAt = 0;

  function stop(reason: Stop): void {
    if (stopped !== null) return;
    stopped = reason;
    upstream.abort();
    for (const action of actions) action(reason);
  }

  const clientLeft = (): void => stop({ why: "client_left" });
  if (clientSignal.aborted) clientLeft();
  else clientSignal.addEventListener("abort", clientLeft, { once: true });

  /** A timer lives through many waits: setting one for each event would cost more than the event. */
  function arm(at: number): void {
    if (timer !== null && timerAt <= at) return;
    if (timer !== null) clearTimeout(timer);
    const now = Date.now();
    timerAt = Math.min(at, now + LOOK_AFTER_MS);
    timer = setTimeout(fire, Math.max(0, timerAt - now));
  }

  function fire(): void {
    timer = null;
    const now = Date.now();
    if (beat !== null && beat.at <= now) {
      beat.at = now + beat.everyMs;
      beat.action();
    }
    if (late !== null && late.at <= now) {
      const { action } = late;
      late = null;
      action();
    }
    if (beat !== null) arm(beat.at);
    if (late !== null) arm(late.at);
  }

  return {
    signal: upstream.signal,
    stopped: () => stopped,
    stop,
    onStop(action) {
      if (stopped === null) actions.push(action);
      else action(stopped);
    },
    wait(limitMs, action) {
      late = { at: Date.now() + limitMs, action };
      arm(late.at);
    },
    rest() {
      late = null;
    },
    every(everyMs, action) {
      beat = { at: Date.now() + everyMs, everyMs, action };
      arm(beat.at);
    },
    again() {
      late = null;
      beat = null;
      actions.length = 0;
      return !ended && stopped === null;
    },
    isOver: () => ended || stopped !== null,
    end() {
      ended = true;
      late = null;
      beat = null;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      clientSignal.removeEventListener("abort", clientLeft);
    },
  };
}
