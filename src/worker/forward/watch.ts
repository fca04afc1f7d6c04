// One request to a backend under watch: the client that may leave, the waits that may take too long,
// the gateway that may cut it. Whatever comes first stops the request, in the same tick.
import type { PublicError } from "../../contract/errors.ts";

type Stop =
  | { why: "client_left" }
  | { why: "timeout"; error: PublicError }
  | { why: "cut"; error: PublicError };

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
  /** No timer and no listener is left. */
  end(): void;
}

export function watchRequest(clientSignal: AbortSignal): Watch {
  const upstream = new AbortController();
  const actions: ((stop: Stop) => void)[] = [];
  let stopped: Stop | null = null;
  let late: (() => void) | null = null;
  let lateAt = 0;
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
    timerAt = at;
    timer = setTimeout(fire, Math.max(0, at - Date.now()));
  }

  function fire(): void {
    timer = null;
    if (late === null) return;
    if (Date.now() < lateAt) {
      arm(lateAt);
      return;
    }
    const action = late;
    late = null;
    action();
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
      late = action;
      lateAt = Date.now() + limitMs;
      arm(lateAt);
    },
    rest() {
      late = null;
    },
    end() {
      late = null;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      clientSignal.removeEventListener("abort", clientLeft);
    },
  };
}
