// The one object that knows what all GPUs cost this month and says whether new work may begin. The shell
// around core/spend-limit: it loads, asks the core, writes, answers, and tells the Inference objects.
import { DurableObject } from "cloudflare:workers";
import { parseConfiguration } from "../../contract/configuration.ts";
import type {
  SpendChange,
  SpendLimitRpc,
  SpendOverview,
  SpendTick,
  SpendVerdict,
} from "../../contract/spend.ts";
import {
  changeSpend,
  judgeSpend,
  monthEnd,
  noteTick,
  oldestDay,
  RUNNING_TRUSTED_MS,
  spendOverview,
} from "../../core/spend-limit.ts";
import { inferenceOf, type ObjectBindings } from "../objects.ts";
import { type KeptSpend, SpendStorage } from "./spend-storage.ts";

export class SpendLimit extends DurableObject<ObjectBindings> implements SpendLimitRpc {
  readonly #storage: SpendStorage;
  readonly #kept: KeptSpend;
  /** Models whose Inference object is being told, and those that could not be. */
  readonly #telling = new Set<string>();
  readonly #failed = new Set<string>();
  #alarmAt = 0;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    this.#storage = new SpendStorage(context);
    this.#kept = this.#storage.read(parseConfiguration(env).SPEND_LIMIT_USD);
  }

  async tick(tick: SpendTick): Promise<SpendVerdict> {
    const now = Date.now();
    const { ledger, told } = this.#kept;
    const changed = noteTick(ledger, tick, now);
    const verdict = judgeSpend(ledger, now);
    // The answer tells it; if that gets lost, the next tick's does.
    told.set(tick.model, JSON.stringify(verdict));
    this.#storage.writeTick(this.#kept, tick.model, changed, oldestDay(now));
    return this.#judge(now);
  }

  async verdict(): Promise<SpendVerdict> {
    return this.#judge(Date.now());
  }

  async overview(): Promise<SpendOverview> {
    const now = Date.now();
    this.#judge(now);
    return spendOverview(this.#kept.ledger, now);
  }

  async change(change: SpendChange): Promise<SpendOverview> {
    const now = Date.now();
    changeSpend(this.#kept.ledger, change);
    this.#kept.setLimitUsd = change.limitUsd ?? this.#kept.setLimitUsd;
    this.#judge(now);
    return spendOverview(this.#kept.ledger, now);
  }

  /** The month turned: what the limit paused goes on, also where nobody asks. */
  override async alarm(): Promise<void> {
    this.#alarmAt = 0;
    this.#judge(Date.now());
  }

  /** Keeps what the verdict rests on, tells whoever knows another one, and wakes at the month's turn. */
  #judge(now: number): SpendVerdict {
    const verdict = judgeSpend(this.#kept.ledger, now);
    this.#storage.writeSettings(this.#kept);
    for (const model of this.#toTell(verdict, now)) this.ctx.waitUntil(this.#tell(model, verdict));
    this.#wakeAtMonthEnd(now);
    return verdict;
  }

  /**
   * One that could not be told is tried again by whatever comes next, while it ticks: an Inference
   * object that rests asks by itself before it starts anything.
   */
  #toTell(verdict: SpendVerdict, now: number): string[] {
    const { told, ledger } = this.#kept;
    const text = JSON.stringify(verdict);
    return [...told].flatMap(([model, known]) => {
      if (known === text || this.#telling.has(model)) return [];
      const at = ledger.models.get(model)?.at ?? 0;
      return this.#failed.has(model) && now - at >= RUNNING_TRUSTED_MS ? [] : [model];
    });
  }

  async #tell(model: string, verdict: SpendVerdict): Promise<void> {
    const text = JSON.stringify(verdict);
    this.#telling.add(model);
    try {
      await inferenceOf(this.env, model).spendChanged(verdict);
      this.#failed.delete(model);
      this.#kept.told.set(model, text);
      this.#storage.writeTold(model, text);
    } catch (failure) {
      this.#failed.add(model);
      console.error({ event: "spend_verdict_not_told", model, failure: String(failure) });
      return;
    } finally {
      this.#telling.delete(model);
    }
    const now = Date.now();
    const changedMeanwhile = JSON.stringify(judgeSpend(this.#kept.ledger, now)) !== text;
    if (changedMeanwhile) this.#judge(now);
  }

  /**
   * An alarm that is overdue when the object starts may not come, at least in local workerd: so every
   * call judges by the clock, and sets the next one.
   */
  #wakeAtMonthEnd(now: number): void {
    const at = monthEnd(now);
    if (this.#alarmAt === at) return;
    this.#alarmAt = at;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
  }
}
