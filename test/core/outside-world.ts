// The world around a ledger, for the crash properties: an object that keeps it in memory and writes
// it behind, a disk whose writes take a while, and gateways that run requests, renew their Holds,
// report their usage and repeat what was not answered. Memory can be lost at any step.
import {
  COMMIT_AFTER_MS,
  COMMIT_AT_SETTLEMENTS,
  HOLD_LEASE_MS,
  HOLD_RENEW_MS,
} from "../../src/contract/limits.ts";
import {
  addGrant,
  commit,
  expire,
  mustCommit,
  renewHold,
  settle,
  takeHold,
} from "../../src/core/ledger.ts";
import {
  type Commit,
  type Durable,
  emptyDurable,
  type HeldFor,
  type Ledger,
  nextExpiry,
  openLedger,
} from "../../src/core/ledger-state.ts";
import { askedAt, type Completion } from "./completion-outside.ts";
import { readBack } from "./disk.ts";
import { START, totalOf, usageOf } from "./ledger-commands.ts";

/** A write is durable at most so long after it was made. */
const WRITE_MS = 500;
/** How long a gateway waits before it repeats a call that was not answered. */
const REPEAT_MS = 1_000;
/** An object that was away for a while stays for a while: long enough for all to come back to it. */
const BACK_MS = 2_000;

export class World {
  now = START;
  ledger: Ledger = openLedger(emptyDurable(START), HOLD_LEASE_MS);
  readonly completions: Completion[] = [];
  readonly commits: Commit[] = [];
  /** How many of the commits are on the disk; the others are on their way. */
  durable = 0;
  crashes = 0;
  #grants = 0;
  /** An answer leaves once the commits made before it are durable. */
  #answers: { after: number; deliver: () => void }[] = [];
  #settled: Completion[] = [];
  #commitAt = Infinity;
  readonly #afterEachStep: (world: World) => void;

  constructor(afterEachStep: (world: World) => void) {
    this.#afterEachStep = afterEachStep;
  }

  grant(tokens: number, lastsMs: number | null): void {
    this.#wake();
    this.#grants += 1;
    const expiresAt = lastsMs === null ? null : this.now + lastsMs;
    const id = `grant-${this.#grants}`;
    addGrant(this.ledger, { id, tokens, note: "", at: this.now, expiresAt, used: 0, lapsed: 0 });
    this.commit(false);
    this.#afterEachStep(this);
  }

  /** A Completion asks, or a Job for one of its slices. */
  ask(tokens: number, slice: boolean): void {
    const requestId = `request-${this.completions.length}`;
    const what = { requestId, keyId: "key", model: "model", held: tokens };
    const request: HeldFor = slice ? { ...what, slice } : what;
    const completion = askedAt(this.now, request);
    this.completions.push(completion);
    this.#call(completion);
  }

  /** The backend goes on; its gateway knows, and tells with the next renewal. */
  work(completion: Completion, tokens: number): void {
    if (completion.state !== "running" || !completion.alive) return;
    completion.work = Math.min(completion.request.held, completion.work + tokens);
  }

  finish(completion: Completion, tokens: number): void {
    if (completion.state !== "running") return;
    completion.usage = usageOf(Math.min(tokens, completion.request.held));
    completion.state = "reporting";
    if (completion.alive && (completion.cutOffUntil ?? 0) <= this.now) this.#call(completion);
  }

  commit(atRest: boolean): void {
    this.#commitAt = Infinity;
    this.commits.push(commit(this.ledger, this.now, atRest));
    for (const completion of this.#settled) this.#answer(() => this.#done(completion));
    this.#settled = [];
  }

  /** All writes on their way become durable. */
  flush(): void {
    this.durable = this.commits.length;
    this.#deliver();
  }

  cutOff(completion: Completion, ms: number): void {
    if (completion.state !== "running") return;
    completion.cutOffUntil = this.now + ms;
    completion.callAt = completion.cutOffUntil;
  }

  /** Memory is lost; of the writes on their way only the first `written` became durable. */
  crash(written: number, downMs: number): void {
    this.crashes += 1;
    this.commits.length = Math.min(this.commits.length, this.durable + written);
    this.durable = this.commits.length;
    this.#answers = [];
    this.#settled = [];
    this.#commitAt = Infinity;
    this.now += downMs;
    for (const completion of this.completions) {
      if (completion.state !== "asked" && completion.state !== "reporting") continue;
      completion.callAt = Math.max(this.now + REPEAT_MS, completion.cutOffUntil ?? 0);
    }
    this.ledger = openLedger(this.onDisk(this.durable), HOLD_LEASE_MS);
    this.#wake();
    this.#afterEachStep(this);
    if (downMs > 0 && this.completions.some((completion) => completion.alive)) this.pass(BACK_MS);
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (let next = this.#nextEvent(); next <= until; next = this.#nextEvent()) {
      this.now = Math.max(this.now, next);
      this.#happen();
      this.#afterEachStep(this);
    }
    this.now = until;
    this.#afterEachStep(this);
  }

  /** What a restart would read after the first `written` commits. */
  onDisk(written: number): Durable {
    return readBack(this.commits.slice(0, written), this.now);
  }

  #nextEvent(): number {
    const written = this.commits[this.durable]?.at ?? Infinity;
    let next = Math.min(this.#commitAt, written + WRITE_MS, nextExpiry(this.ledger) ?? Infinity);
    for (const completion of this.completions)
      if (completion.alive) next = Math.min(next, completion.callAt);
    return next;
  }

  /** One thing at a time, so that a step is between any two. */
  #happen(): void {
    const written = this.commits[this.durable]?.at ?? Infinity;
    if (written + WRITE_MS <= this.now) {
      this.durable += 1;
      this.#deliver();
      return;
    }
    if (this.#commitAt <= this.now) {
      this.commit(false);
      return;
    }
    const caller = this.completions.find(
      (completion) => completion.alive && completion.callAt <= this.now,
    );
    if (caller !== undefined) this.#call(caller);
    else if (this.#wake()) this.commit(false);
  }

  /** A gateway calls with what it has to say; what it hears comes with an answer, or never. */
  #call(completion: Completion): void {
    this.#wake();
    completion.callAt = Infinity;
    if (completion.state === "asked") this.#admit(completion);
    if (completion.state === "running") this.#renew(completion);
    if (completion.state === "reporting") this.#settle(completion);
    this.#afterEachStep(this);
  }

  #admit(completion: Completion): void {
    const taken = takeHold(this.ledger, completion.request, this.now + HOLD_LEASE_MS);
    this.#answerNow(() => {
      completion.state = taken ? "running" : "refused";
      if (taken) completion.callAt = this.now + HOLD_RENEW_MS;
    });
  }

  #renew(completion: Completion): void {
    // What of a slice is not done runs again, so its progress costs nothing.
    const progress = usageOf(completion.request.slice ? 0 : completion.work);
    const goesOn = renewHold(this.ledger, completion.request, progress, this.now + HOLD_LEASE_MS);
    if (!goesOn && completion.cutOffUntil === null)
      throw new Error("the Hold of a living request was ended");
    if (goesOn) completion.reported.push(totalOf(progress));
    completion.callAt = this.now + HOLD_RENEW_MS;
    this.#answerNow(() => {});
  }

  #settle(completion: Completion): void {
    if (completion.usage === null) throw new Error("nothing to report");
    settle(this.ledger, completion.request, completion.usage, this.now);
    this.#settled.push(completion);
    if (this.#settled.length >= COMMIT_AT_SETTLEMENTS) this.commit(false);
    else this.#commitSoon();
  }

  #done(completion: Completion): void {
    completion.state = "done";
    completion.callAt = Infinity;
  }

  #answerNow(deliver: () => void): void {
    if (mustCommit(this.ledger)) this.commit(false);
    else this.#commitSoon();
    const { block, held, setAside, uncommitted } = this.ledger;
    if (block < held + setAside.tokens + uncommitted.ended) throw new Error("law 2 is broken");
    this.#answer(deliver);
  }

  #answer(deliver: () => void): void {
    this.#answers.push({ after: this.commits.length, deliver });
    this.#deliver();
  }

  #deliver(): void {
    const ready = this.#answers.filter((answer) => answer.after <= this.durable);
    this.#answers = this.#answers.filter((answer) => answer.after > this.durable);
    for (const answer of ready) answer.deliver();
  }

  #commitSoon(): void {
    this.#commitAt = Math.min(this.#commitAt, this.now + COMMIT_AFTER_MS);
  }

  #wake(): boolean {
    const changed = expire(this.ledger, this.now);
    if (changed) this.#commitSoon();
    return changed;
  }
}
