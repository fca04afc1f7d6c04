// A Job as its submitter sees it while things die around it.
import { expect } from "vitest";
import type { Person, PersonRecord } from "../e2e/person.ts";
import { until } from "../e2e/until.ts";

interface ShownJob {
  id: string;
  state: string;
  progress: { total: number; succeeded: number; failed: number; tokens: number };
}

interface ResultLine {
  custom_id: string;
  response: { status_code: number; body: { usage?: { total_tokens: number } } };
}

/** Some seconds of work in twenty slices, so that what dies does so while it runs. */
export const ITEMS = 4_800;
const PROMPT = [464, 11393, 373, 257, 1588];
const MAX_TOKENS = 20;
/** Of one item; each is run to its last token. */
export const ITEM_TOKENS = PROMPT.length + MAX_TOKENS;

/** Above the leases of tickets and claims, which a crash leaves to run out. */
const RECOVERED_MS = 150_000;

export class ChaosJob {
  readonly #person: Person;
  readonly #id: string;

  private constructor(person: Person, id: string) {
    this.#person = person;
    this.#id = id;
  }

  static async submit(person: Person): Promise<ChaosJob> {
    const prompts = Array.from({ length: ITEMS }, () => PROMPT);
    const params = { max_tokens: MAX_TOKENS, ignore_eos: true };
    const response = await person.call("POST", "/v1/jobs", { model: "local", params, prompts });
    const job = (await response.json()) as ShownJob;
    if (!response.ok) throw new Error(`not taken in: ${JSON.stringify(job)}`);
    return new ChaosJob(person, job.id);
  }

  async show(): Promise<ShownJob> {
    return (await (await this.#person.call("GET", `/v1/jobs/${this.#id}`)).json()) as ShownJob;
  }

  /** Waits until so many items are done, and others are not. */
  async reached(items: number): Promise<void> {
    const done = ({ progress }: ShownJob) => progress.succeeded >= items;
    const seen = await until(`${items} items that are done`, () => this.show(), done, RECOVERED_MS);
    expect(seen.state).not.toBe("completed");
  }

  /** Every line is there once, in order, and was answered; it cost what its lines say. */
  async expectWhole(): Promise<PersonRecord> {
    const done = ({ state }: ShownJob) => state === "completed";
    const { progress } = await until("the Job's end", () => this.show(), done, RECOVERED_MS);
    expect(progress).toMatchObject({ total: ITEMS, succeeded: ITEMS, failed: 0 });
    const response = await this.#person.call("GET", `/v1/jobs/${this.#id}/results`);
    const text = await response.text();
    const lines = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ResultLine);
    expect(lines.map((line) => line.custom_id)).toEqual(
      Array.from({ length: ITEMS }, (_, at) => `item-${at}`),
    );
    for (const { response: answer } of lines) {
      expect(answer.body.usage?.total_tokens).toBe(ITEM_TOKENS);
    }
    const record = await until(
      "the end of all Holds",
      () => this.#person.record(),
      ({ tokens }) => tokens.held === 0 && tokens.spent >= ITEMS * ITEM_TOKENS,
      RECOVERED_MS,
    );
    expect(record.tokens.spent).toBe(ITEMS * ITEM_TOKENS);
    expect(progress.tokens).toBe(ITEMS * ITEM_TOKENS);
    expect(record.usage.totals.requests).toBe(ITEMS);
    expect(record.overrun_tokens).toBe(0);
    return record;
  }
}
