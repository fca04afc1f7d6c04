// Whose turn it is: what may run starts at once, what may wait stands in line, and the line moves
// whenever a place comes free or somebody in it lost the right to wait.
import type { Admission, AdmitRequest, Refusal } from "../../contract/account.ts";
import { LINE_RETRY_AFTER_MS, LINE_WAIT_MS } from "../../contract/limits.ts";
import {
  type AccountState,
  type AdmitDecision,
  accountFigures,
  checkKey,
  type LinePlace,
} from "../../core/admission.ts";
import { runningCompletions } from "../../core/ledger-state.ts";
import { type Waiter, WaitingLine } from "./waiting-line.ts";

interface Shell {
  /** The state as of now, once what has ended by itself is ended. */
  current: () => AccountState;
  decide: (state: AccountState, request: AdmitRequest, place: LinePlace) => AdmitDecision;
}

export class Turns {
  readonly #line = new WaitingLine();
  readonly #shell: Shell;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  get waiting(): number {
    return this.#line.length;
  }

  async admit(state: AccountState, request: AdmitRequest): Promise<Admission> {
    this.leave(state, request.requestId);
    const place = { waiting: this.#line.length, turn: false };
    const decision = this.#shell.decide(state, request, place);
    if (decision.decision !== "wait") return admission(decision, state);
    return await new Promise<Admission>((answer) => {
      this.#line.enter({ request, answer, until: Date.now() + LINE_WAIT_MS });
      this.#watch();
    });
  }

  leave(state: AccountState, requestId: string): void {
    const left = this.#line.takeWhere((one) => one.request.requestId === requestId);
    for (const waiter of left) waiter.answer(refusal({ reason: "ended" }, state));
  }

  /** Starts those whose turn has come, and sends away those whose key ended meanwhile. */
  advance(state: AccountState): void {
    const now = Date.now();
    const keyOf = ({ request }: Waiter) => checkKey(state, request.keyHash, now);
    for (const waiter of this.#line.takeWhere((one) => "reason" in keyOf(one))) {
      const why = keyOf(waiter);
      if ("reason" in why) waiter.answer(refusal(why, state));
    }
    while (runningCompletions(state.ledger) < state.limits.running) {
      const waiter = this.#line.takeFirst();
      if (waiter === null) break;
      const decision = this.#shell.decide(state, waiter.request, { waiting: 0, turn: true });
      waiter.answer(admission(decision, state));
    }
    this.#watch();
  }

  /** One timer for the whole line: the deadline of the one who came first. */
  #watch(): void {
    const deadline = this.#line.nextDeadline;
    if (deadline === null || this.#timer !== null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        const state = this.#shell.current();
        const now = Date.now();
        for (const waiter of this.#line.takeWhere((one) => one.until <= now)) {
          const why: Refusal = { reason: "line_wait_over", retryAfterMs: LINE_RETRY_AFTER_MS };
          waiter.answer(refusal(why, state));
        }
        this.#watch();
      },
      Math.max(1, deadline - Date.now()),
    );
  }
}

function refusal(why: Refusal, state: AccountState): Admission {
  return { outcome: "refused", refusal: why, figures: accountFigures(state, Date.now()) };
}

function admission(decision: AdmitDecision, state: AccountState): Admission {
  if (decision.decision === "wait") throw new Error("a waiting request has no admission yet");
  if (decision.decision === "refused") return refusal(decision.refusal, state);
  const { keyId, held, maxTokens } = decision;
  const figures = accountFigures(state, Date.now());
  return { outcome: "admitted", keyId, held, maxTokens, figures };
}
