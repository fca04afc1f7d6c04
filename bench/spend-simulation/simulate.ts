// The Spend limit under a simulated clock: the real meter and the real ledger, with simulated Models,
// containers, reports and isolates around them. What is promised, for each month:
//
//   month ≤ limit + R × (TICK + NOTICE + FRESH + COMPLETION) + ADDED + SILENT
//
// R is the price of every container that lived since one tick before the pause. TICK_MS: what the limit
// has not heard yet. NOTICE: until each Model knows of the pause, 0 where the call arrives, else its own
// next tick. STATUS_FRESH_MS: until each isolate does. COMPLETION: what had begun may finish. ADDED: the
// start and idle time of containers that the platform added by itself in that time, unreserved. SILENT:
// SILENT_AFTER_MS of each container that ended without a goodbye.
import { SILENT_AFTER_MS } from "../../src/contract/container-report.ts";
import { STATUS_FRESH_MS } from "../../src/contract/limits.ts";
import { type SpendTick, type SpendVerdict, TICK_MS } from "../../src/contract/spend.ts";
import {
  changeSpend,
  emptySpend,
  judgeSpend,
  monthEnd,
  noteTick,
  spendOverview,
} from "../../src/core/spend-limit.ts";
import { Dice } from "./dice.ts";
import { SECOND, type SimContainer, type SimModel } from "./sim-container.ts";
import { COMPLETION_MAX_MS, SimInference, type SimLimit } from "./sim-inference.ts";

const HOUR_MS = 3_600_000;

const simModels: readonly Omit<SimModel, "requestRate">[] = [
  simModel("large", { gpuCount: 8, usdPerGpuHour: 4.54, startSeconds: 1_200, maxContainers: 2 }),
  simModel("middle", { gpuCount: 2, usdPerGpuHour: 4.54, startSeconds: 240, maxContainers: 3 }),
  simModel("small", { gpuCount: 1, usdPerGpuHour: 1.95, startSeconds: 90, maxContainers: 4 }),
];

export interface Scenario {
  seed: number;
  limitUsd: number;
  beginsAt: number;
  hours: number;
  /** Of the calls that tell a Model of a new verdict, the part that gets lost. */
  noticesLost: number;
  /** To each Model, in requests a second: where they are rare, most find it Cold. */
  requestRate: number;
  /** An Admin's change on the way. */
  raise?: { at: number; limitUsd: number };
}

interface Pause {
  at: number;
  limitUsd: number;
  spentUsd: number;
  windDownUsd: number;
  usdPerHour: number;
}

export interface Outcome {
  /** Those of the first month. */
  pauses: Pause[];
  /** What the first month cost in the end. */
  monthUsd: number;
  /** By how much it may pass the limit: the inequality's right side, less the limit. */
  mayPassUsd: number;
  /** When Completions began. */
  begun: number[];
  refused: number;
  /** By the true lives of the containers, in the whole simulation, and as it was metered. */
  trueUsd: number;
  meteredUsd: number;
  /** What SILENT_AFTER_MS of those that ended without a goodbye cost. */
  silentUsd: number;
}

export function simulate(scenario: Scenario): Outcome {
  const world = new SpendWorld(scenario);
  while (world.now < world.endsAt) world.step();
  return world.outcome();
}

class SpendWorld implements SimLimit {
  now: number;
  readonly endsAt: number;
  readonly #scenario: Scenario;
  readonly #monthEndsAt: number;
  readonly #dice: Dice;
  readonly #ledger;
  readonly #models: ReadonlyMap<string, SimInference>;
  readonly #pauses: Pause[] = [];
  #known: SpendVerdict = { paused: false };

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.now = scenario.beginsAt;
    this.endsAt = scenario.beginsAt + scenario.hours * HOUR_MS;
    this.#monthEndsAt = monthEnd(scenario.beginsAt);
    this.#dice = new Dice(scenario.seed);
    this.#ledger = emptySpend(scenario.limitUsd);
    this.#models = new Map(
      simModels.map((model) => {
        const asked = { ...model, requestRate: scenario.requestRate };
        return [model.id, new SimInference(asked, this, this.#dice)];
      }),
    );
  }

  tick(tick: SpendTick): SpendVerdict {
    noteTick(this.#ledger, tick, this.now);
    return this.#judge(tick.model);
  }

  verdict(): SpendVerdict {
    return this.#judge(null);
  }

  step(): void {
    const { raise } = this.#scenario;
    if (raise !== undefined && this.now === raise.at) {
      changeSpend(this.#ledger, { limitUsd: raise.limitUsd });
      this.#judge(null);
    }
    // The SpendLimit object's alarm.
    if (this.now === this.#monthEndsAt) this.#judge(null);
    for (const model of this.#models.values()) model.step(this.now);
    this.now += SECOND;
  }

  outcome(): Outcome {
    const models = [...this.#models.values()];
    for (const model of models) model.tick(this.now);
    const containers = models.flatMap((model) => model.containers);
    const monthUsd = spendOverview(this.#ledger, this.#monthEndsAt - 1).spentUsd;
    const nextMonthUsd = spendOverview(this.#ledger, this.#monthEndsAt).spentUsd;
    const silent = containers.filter(({ endedSilent }) => endedSilent);
    return {
      pauses: this.#pauses,
      monthUsd,
      mayPassUsd: this.#mayPassUsd(containers),
      begun: models.flatMap(({ begun }) => begun).sort((one, other) => one - other),
      refused: sum(models, ({ refused }) => refused),
      trueUsd: sum(containers, (one) => costOf(one, (one.stoppedAt ?? this.now) - one.beganAt)),
      silentUsd: sum(silent, (one) => costOf(one, SILENT_AFTER_MS)),
      meteredUsd: monthUsd + nextMonthUsd,
    };
  }

  /** Judges, and tells the Models at once where the verdict has changed; some calls get lost. */
  #judge(ticking: string | null): SpendVerdict {
    const verdict = judgeSpend(this.#ledger, this.now);
    if (verdict.paused === this.#known.paused) return verdict;
    this.#known = verdict;
    for (const [id, model] of this.#models) {
      const arrives = id !== ticking && !this.#dice.chance(this.#scenario.noticesLost);
      if (arrives) model.verdict = verdict;
    }
    if (verdict.paused && this.now < this.#monthEndsAt) {
      const { limitUsd, spentUsd, windDownUsd, usdPerHour } = spendOverview(this.#ledger, this.now);
      this.#pauses.push({ at: this.now, limitUsd, spentUsd, windDownUsd, usdPerHour });
    }
    return verdict;
  }

  #mayPassUsd(containers: readonly SimContainer[]): number {
    const pause = this.#pauses.at(-1);
    if (pause === undefined) return 0;
    const since = pause.at - TICK_MS;
    const noticeMs = this.#scenario.noticesLost > 0 ? TICK_MS : 0;
    const lateMs = TICK_MS + noticeMs + STATUS_FRESH_MS + COMPLETION_MAX_MS;
    let usd = 0;
    for (const container of containers) {
      const { stoppedAt, beganAt, reserved, endedSilent } = container;
      if ((stoppedAt !== null && stoppedAt < since) || beganAt >= this.#monthEndsAt) continue;
      usd += costOf(container, lateMs);
      if (!reserved && beganAt >= since) usd += costOf(container, container.startAndIdleMs);
      if (endedSilent) usd += costOf(container, SILENT_AFTER_MS);
    }
    return usd;
  }
}

function costOf({ usdPerHour }: SimContainer, ms: number): number {
  return (usdPerHour * ms) / HOUR_MS;
}

function sum<T>(list: readonly T[], figure: (one: T) => number): number {
  return list.reduce((total, one) => total + figure(one), 0);
}

function simModel(
  id: string,
  rest: Pick<SimModel, "gpuCount" | "usdPerGpuHour" | "startSeconds" | "maxContainers">,
): Omit<SimModel, "requestRate"> {
  return { id, idleSeconds: 300, ...rest };
}
