import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AdmitRequest } from "../../src/contract/account.ts";
import { LINE_WAIT_MS } from "../../src/contract/limits.ts";
import { settle } from "../../src/core/ledger.ts";
import { type Waiter, WaitingLine } from "../../src/durable-objects/account/waiting-line.ts";
import { account, ask, completion, NO_LINE, NOW, refusalOf } from "./account-states.ts";
import { usageOf } from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

const RUNNING = 3;
const WAITING = 4;

/** One person's Completions as their object starts them; `started` is in order. */
class Person {
  readonly state = account(1_000_000, { running: RUNNING, waiting: WAITING }).state;
  readonly line = new WaitingLine();
  readonly started: string[] = [];
  readonly turnedAway: string[] = [];

  comes(request: AdmitRequest): void {
    const decision = ask(this.state, request, { waiting: this.line.length, turn: false });
    if (decision.decision === "wait") this.line.enter(waiter(request));
    else
      (decision.decision === "admitted" ? this.started : this.turnedAway).push(request.requestId);
  }

  ends(pick: number): void {
    const running = [...this.state.ledger.holds.values()];
    const hold = running[pick % Math.max(1, running.length)];
    if (hold === undefined) return;
    settle(this.state.ledger, hold, usageOf(1), NOW);
    const next = this.line.takeFirst();
    if (next === null) return;
    const decision = ask(this.state, next.request, { waiting: 0, turn: true });
    if (decision.decision === "admitted") this.started.push(next.request.requestId);
  }
}

function waiter(request: AdmitRequest, until = NOW + LINE_WAIT_MS): Waiter {
  return { request, answer: () => {}, until };
}

describe("the line of one person", () => {
  test("runs so many at once, keeps so many waiting, and starts them as they came", () => {
    const moves = fc.array(fc.oneof(fc.constant(null), fc.nat({ max: RUNNING })), {
      maxLength: 40,
      size: "max",
    });
    fc.assert(
      fc.property(moves, (list) => {
        const person = new Person();
        const came: string[] = [];
        for (const move of list) {
          if (move === null) {
            const request = completion();
            came.push(request.requestId);
            person.comes(request);
          } else {
            person.ends(move);
          }
          const running = person.state.ledger.holds.size;
          expect(running).toBeLessThanOrEqual(RUNNING);
          expect(person.line.length).toBeLessThanOrEqual(WAITING);
          if (person.line.length > 0) expect(running).toBe(RUNNING);
          const turnedAway = new Set(person.turnedAway);
          const kept = came.filter((id) => !turnedAway.has(id));
          expect(person.started).toEqual(kept.slice(0, person.started.length));
          expect(kept.length).toBe(person.started.length + person.line.length);
        }
      }),
      { numRuns },
    );
  });

  test("lets nobody overtake, also when a place is free", () => {
    const { state } = account(1_000, { running: 1 });
    expect(ask(state, completion(), { waiting: 1, turn: false })).toEqual({ decision: "wait" });
    expect(ask(state, completion(), { waiting: 1, turn: true })).toMatchObject({ held: 10 });
  });

  test("uses up no start and no tokens while it waits, and both at its turn", () => {
    const { state } = account(1_000, { running: 1, startsPerMinute: 2 });
    ask(state);
    const waits = completion();
    const before = structuredClone(state);
    expect(ask(state, waits)).toEqual({ decision: "wait" });
    expect(state).toEqual(before);
    expect(ask(state, waits, { waiting: 0, turn: true })).toMatchObject({ decision: "admitted" });
    expect(refusalOf(ask(state, completion(), NO_LINE))).toMatchObject({ reason: "rate" });
  });

  test("judges key and tokens again at the turn", () => {
    const { state, key } = account(10, { running: 1 });
    ask(state);
    const waits = completion();
    expect(ask(state, waits)).toEqual({ decision: "wait" });
    const turn = { waiting: 0, turn: true };
    expect(refusalOf(ask(state, waits, turn))).toMatchObject({
      reason: "budget",
      heldWouldFree: true,
    });
    key.revokedAt = NOW;
    expect(refusalOf(ask(state, waits, turn))).toMatchObject({ reason: "key_revoked" });
  });

  test("gives up those whose wait is over, and keeps the others in their order", () => {
    const line = new WaitingLine();
    expect([line.takeFirst(), line.nextDeadline, line.length]).toEqual([null, null, 0]);
    const requests = [completion(), completion(), completion()];
    for (const [at, request] of requests.entries()) line.enter(waiter(request, NOW + at));
    expect(line.nextDeadline).toBe(NOW);
    const gone = line.takeWhere((one) => one.request === requests[1] || one.until <= NOW);
    expect(gone.map((one) => one.request)).toEqual([requests[0], requests[1]]);
    expect([line.length, line.nextDeadline]).toEqual([1, NOW + 2]);
    expect(line.takeFirst()?.request).toBe(requests[2]);
  });
});
