// The world around a ledger, for the crash properties: an object that keeps it in memory and writes
// it behind, a disk whose writes take a while, and gateways that run requests, renew their Holds,
// report their usage and repeat what was not answered. Memory can be lost at any step.
import type { HeldRequest, TokenUsage } from "../../src/contract/account.ts";
import {
  COMMIT_AFTER_MS,
  COMMIT_AT_SETTLEMENTS,
  HOLD_LEASE_MS,
  HOLD_RENEW_MS,
} from "../../src/contract/limits.ts";
import {
  addGrant,
  type Commit,
  commit,
  type Durable,
  emptyDurable,
  expire,
  type Ledger,
  mustCommit,
  nextExpiry,
  openLedger,
  renewHold,
  settle,
  takeHold,
} from "../../src/core/ledger.ts";
import { readBack } from "./disk.ts";
import { START, usageOf } from "./ledger-commands.ts";

/** A write is durable at most so long after it was made. */
const WRITE_MS = 500;
/** How long a gateway waits before it repeats a call that was not answered. */
const REPEAT_MS = 1_000;
/** An object that was away for a while stays for a while: long enough for all to come back to it. */
const BACK_MS = 2_000;

/** How a gateway sees its request. Only an answer that has left the object changes what it sees. */
export interface Job {
  request: HeldRequest;
  state: "asked" | "refused" | "running" | "reporting" | "done";
  askedAt: number;
  alive: boolean;
  /** Its gateway was out of reach until then, so that its lease may have ended while it ran. */
  cutOffUntil: number | null;
  /** What the backend has done so far. */
  work: number;
  usage: TokenUsage | null;
  /** Every progress that it ever reported. */
  reported: number[];
  /** When its gateway next calls the object. */
  callAt: number;
}

export class World {
  now = START;
  ledger: Ledger = openLedger(emptyDurable(START), HOLD_LEASE_MS);
  readonly jobs: Job[] = [];
  readonly commits: Commit[] = [];
  /** How many of the commits are on the disk; the others are on their way. */
  durable = 0;
  /** Set aside before crashes and claimed by nobody until its lease ended. */
  unclaimed = 0;
  #grants = 0;
  /** An answer leaves once the commits made before it are durable. */
  #answers: { after: number; deliver: () => void }[] = [];
  #settled: Job[] = [];
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

  ask(tokens: number): void {
    const requestId = `request-${this.jobs.length}`;
    const job: Job = {
      request: { requestId, keyId: "key", model: "model", held: tokens },
      ...{ state: "asked", askedAt: this.now, alive: true, cutOffUntil: null },
      ...{ work: 0, usage: null, reported: [0], callAt: Infinity },
    };
    this.jobs.push(job);
    this.#call(job);
  }

  /** The backend goes on; its gateway knows, and tells with the next renewal. */
  work(job: Job, tokens: number): void {
    if (job.state !== "running" || !job.alive) return;
    job.work = Math.min(job.request.held, job.work + tokens);
  }

  finish(job: Job, tokens: number): void {
    if (job.state !== "running") return;
    job.usage = usageOf(Math.min(tokens, job.request.held));
    job.state = "reporting";
    if (job.alive && (job.cutOffUntil ?? 0) <= this.now) this.#call(job);
  }

  commit(atRest: boolean): void {
    this.#commitAt = Infinity;
    this.commits.push(commit(this.ledger, this.now, atRest));
    for (const job of this.#settled) this.#answer(() => this.#done(job));
    this.#settled = [];
  }

  /** All writes on their way become durable. */
  flush(): void {
    this.durable = this.commits.length;
    this.#deliver();
  }

  cutOff(job: Job, ms: number): void {
    if (job.state !== "running") return;
    job.cutOffUntil = this.now + ms;
    job.callAt = job.cutOffUntil;
  }

  /** Memory is lost; of the writes on their way only the first `written` became durable. */
  crash(written: number, downMs: number): void {
    this.commits.length = Math.min(this.commits.length, this.durable + written);
    this.durable = this.commits.length;
    this.#answers = [];
    this.#settled = [];
    this.#commitAt = Infinity;
    this.now += downMs;
    for (const job of this.jobs) {
      if (job.state !== "asked" && job.state !== "reporting") continue;
      job.callAt = Math.max(this.now + REPEAT_MS, job.cutOffUntil ?? 0);
    }
    this.ledger = openLedger(this.onDisk(this.durable), HOLD_LEASE_MS);
    this.#wake();
    this.#afterEachStep(this);
    if (downMs > 0 && this.jobs.some((job) => job.alive)) this.pass(BACK_MS);
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
    for (const job of this.jobs) if (job.alive) next = Math.min(next, job.callAt);
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
    const caller = this.jobs.find((job) => job.alive && job.callAt <= this.now);
    if (caller !== undefined) this.#call(caller);
    else if (this.#wake()) this.commit(false);
  }

  /** A gateway calls with what it has to say; what it hears comes with an answer, or never. */
  #call(job: Job): void {
    this.#wake();
    job.callAt = Infinity;
    if (job.state === "asked") this.#admit(job);
    if (job.state === "running") this.#renew(job);
    if (job.state === "reporting") this.#settle(job);
    this.#afterEachStep(this);
  }

  #admit(job: Job): void {
    const taken = takeHold(this.ledger, job.request, this.now + HOLD_LEASE_MS);
    this.#answerNow(() => {
      job.state = taken ? "running" : "refused";
      if (taken) job.callAt = this.now + HOLD_RENEW_MS;
    });
  }

  #renew(job: Job): void {
    const progress = usageOf(job.work);
    const goesOn = renewHold(this.ledger, job.request, progress, this.now + HOLD_LEASE_MS);
    if (!goesOn && job.cutOffUntil === null)
      throw new Error("the Hold of a living request was ended");
    if (goesOn) job.reported.push(job.work);
    job.callAt = this.now + HOLD_RENEW_MS;
    this.#answerNow(() => {});
  }

  #settle(job: Job): void {
    if (job.usage === null) throw new Error("nothing to report");
    settle(this.ledger, job.request, job.usage, this.now);
    this.#settled.push(job);
    if (this.#settled.length >= COMMIT_AT_SETTLEMENTS) this.commit(false);
    else this.#commitSoon();
  }

  #done(job: Job): void {
    job.state = "done";
    job.callAt = Infinity;
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
    const aside = this.ledger.setAside;
    if (aside.until <= this.now) this.unclaimed += aside.tokens;
    const changed = expire(this.ledger, this.now);
    if (changed) this.#commitSoon();
    return changed;
  }
}
