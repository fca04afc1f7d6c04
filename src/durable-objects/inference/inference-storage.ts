// What an Inference object knows, in one row; its alarm.
import type { ModelStatus } from "../../contract/inference.ts";
import type { SpendVerdict } from "../../contract/spend.ts";
import { type ContainerMeter, emptyMeter } from "../../core/container-meter.ts";
import { expectedStartMs, type LifeRules, type ModelLife, newLife } from "../../core/model-life.ts";
import { migrate } from "../migrate.ts";
import inferenceSql from "./0001-inference.sql";

export interface Kept {
  life: ModelLife;
  meter: ContainerMeter;
  verdict: SpendVerdict;
  /** Since it is Warm, containers have reported themselves: when they are gone, so is the Model. */
  reportsLive: boolean;
  /** Until when it is wanted though nobody waits, such as after a Wake. */
  wantedUntil: number;
  /** The revision that passed the conformance suite, or null. */
  passedRevision: string | null;
}

export function statusOf({ life, verdict }: Kept, rules: LifeRules): ModelStatus {
  return {
    state: life.state,
    spend: verdict,
    expectedStartMs: expectedStartMs(life, rules),
    startingSince: life.startingSince,
    lastStartMs: life.starts[0]?.durationMs ?? null,
  };
}

export class InferenceStorage {
  readonly #context: DurableObjectState;
  readonly #createdAt: number;
  #written = "";
  #alarmAt = 0;

  constructor(context: DurableObjectState, now: number) {
    this.#context = context;
    this.#createdAt = now;
    migrate(context.storage, [inferenceSql]);
  }

  read(): Kept {
    const { sql } = this.#context.storage;
    const row = sql.exec<{ kept: string }>("SELECT kept FROM inference").toArray()[0];
    if (row !== undefined) return JSON.parse(row.kept) as Kept;
    return {
      life: newLife(this.#createdAt),
      meter: emptyMeter(),
      verdict: { paused: false },
      reportsLive: false,
      wantedUntil: 0,
      passedRevision: null,
    };
  }

  write(kept: Kept): void {
    const text = JSON.stringify(kept);
    if (text === this.#written) return;
    this.#context.storage.sql.exec(
      "INSERT OR REPLACE INTO inference (one, kept) VALUES (1, ?)",
      text,
    );
    this.#written = text;
  }

  /** An alarm that is set and not yet due stays. */
  wakeAt(at: number): void {
    const now = Date.now();
    if (this.#alarmAt > now) return;
    this.#alarmAt = at;
    this.#context.waitUntil(this.#context.storage.setAlarm(at));
  }

  /** By the clock that sets alarms off, which may be ahead of the one that is read here. */
  alarmCame(): void {
    this.#alarmAt = 0;
  }
}
