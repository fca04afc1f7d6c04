// One turn: slice after slice of one Job, with as many calls at once as an invocation may wait for,
// until the time is over, or somebody else's turn has come.

import type { JobTurn } from "../../contract/dispatcher.ts";
import {
  CLAIM_RENEW_MS,
  ITEM_UNTIL_MS,
  TURN_CALLS,
  TURN_GRACE_MS,
} from "../../contract/job-limits.ts";
import { dispatcherOf, jobOf, type ObjectBindings } from "../../durable-objects/objects.ts";
import { servicesOf } from "../environment.ts";
import { CallPool } from "./call-pool.ts";
import { repeatCall } from "./repeat-call.ts";
import { SliceRun } from "./run-slice.ts";

/** `until`: no slice is claimed after. */
export async function runTurn(env: ObjectBindings, turn: JobTurn, until: number): Promise<void> {
  const { ticket, model } = turn;
  const begun = await repeatCall(() => dispatcherOf(env, model).begin(ticket));
  if (!begun) return;
  const how = await new Turn(env, turn, until).run();
  await repeatCall(() => dispatcherOf(env, model).end(ticket, how));
}

class Turn {
  readonly #env: ObjectBindings;
  readonly #turn: JobTurn;
  readonly #until: number;
  readonly #pool = new CallPool(TURN_CALLS);
  readonly #slices = new Set<SliceRun>();
  #goOn = true;
  #drained = false;
  #modelNotReady = false;

  constructor(env: ObjectBindings, turn: JobTurn, until: number) {
    this.#env = env;
    this.#turn = turn;
    this.#until = until;
  }

  async run(): Promise<{ drained: boolean; modelNotReady: boolean }> {
    const timer = setInterval(() => this.#beat(Date.now()), CLAIM_RENEW_MS);
    const runs: Promise<void>[] = [];
    try {
      while (this.#goOn && Date.now() < this.#until) {
        const slice = await this.#claim();
        if (slice === null) break;
        const run = slice.run().finally(() => this.#slices.delete(slice));
        runs.push(run);
        // The next one is fetched before the pool runs dry, and not before this one fills it.
        await slice.started;
        await this.#pool.room();
      }
    } finally {
      await Promise.all(runs);
      clearInterval(timer);
    }
    return { drained: this.#drained, modelNotReady: this.#modelNotReady };
  }

  async #claim(): Promise<SliceRun | null> {
    const { ticket, jobId } = this.#turn;
    const answer = await repeatCall(() => jobOf(this.#env, jobId).claim(ticket));
    if (answer.outcome === "nothing") {
      this.#drained = true;
      return null;
    }
    const setting = {
      ...{ env: this.#env, services: servicesOf(this.#env), jobId, pool: this.#pool },
      until: this.#until + ITEM_UNTIL_MS,
      onNotReady: () => {
        this.#modelNotReady = true;
        this.#goOn = false;
      },
    };
    const slice = new SliceRun(setting, answer.claim);
    this.#slices.add(slice);
    return slice;
  }

  /** Keeps what is the turn's; each renewal that fails is one of many before its lease ends. */
  #beat(now: number): void {
    const { ticket, model } = this.#turn;
    const renewed = dispatcherOf(this.#env, model).renew(ticket);
    renewed.then(
      ({ goOn }) => {
        this.#goOn &&= goOn;
      },
      () => undefined,
    );
    for (const slice of this.#slices) {
      void slice.beat(now);
      if (now >= this.#until + TURN_GRACE_MS) slice.cutShort();
    }
  }
}
