// One turn of the consumer, with a real Account, store and backend; the Job and the Dispatcher are the
// test's, so that it says what they answer and hears all that they are told.
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { JobTurn } from "../../../src/contract/dispatcher.ts";
import { jobPartKey } from "../../../src/contract/job-store.ts";
import type {
  InputSlice,
  SliceClaim,
  SliceResult,
  SliceReturn,
} from "../../../src/contract/jobs.ts";
import type { ObjectBindings } from "../../../src/durable-objects/objects.ts";
import { workOff } from "../../../src/worker/jobs/work-off.ts";
import type { Person } from "../calling.ts";

export interface ResultLine {
  id: string;
  custom_id: string;
  response: {
    status_code: number;
    request_id: string;
    seed?: number;
    body: {
      model?: string;
      choices?: { text: string }[];
      error?: { code: string; message: string };
    };
  };
  error: { code: string; message: string } | null;
}

export class TurnUnderTest {
  readonly jobId = `job_${crypto.randomUUID()}`;
  readonly person: Person;
  readonly model: string;
  claims: SliceClaim[] = [];
  commits: SliceResult[] = [];
  returns: SliceReturn[] = [];
  ends: { drained: boolean; modelNotReady: boolean }[] = [];
  /** Of the ticket. */
  renewals = 0;
  /** What the Job and the Dispatcher answer. */
  begins = true;
  claimGoesOn = true;
  turnGoesOn = true;
  taken = true;

  constructor(person: Person, model = "local") {
    this.person = person;
    this.model = model;
  }

  /** Puts the items where a Job's are, to be claimed as one slice. */
  async slice(bodies: readonly object[], change: Partial<SliceClaim & InputSlice> = {}) {
    const { from = 0, large = false, attempt = 1, keyId, failAll = false } = change;
    const lines = bodies.map((body, at) => {
      const whole = { model: this.model, max_tokens: 5, ...body };
      return JSON.stringify({ custom_id: `item-${from + at}`, body: whole });
    });
    const text = `${lines.join("\n")}\n`;
    const inputKey = `test/${this.jobId}-${from}.jsonl`;
    // Something stands before it, as before all slices but the first.
    await env.JOB_STORE.put(inputKey, `before\n${text}`);
    const bytes = new TextEncoder().encode(text).length;
    const claim: SliceClaim = {
      slice: { from, items: bodies.length, offset: 7, bytes, large },
      ...{ inputKey, attempt, holdId: `${this.jobId}-${from}-${attempt}`, failAll },
      ...{ personId: this.person.id, keyId: keyId ?? this.person.keyId, model: this.model },
    };
    this.claims.push(claim);
    return claim;
  }

  async run(messages = 1): Promise<void> {
    const body: JobTurn = { ticket: "ticket", jobId: this.jobId, model: this.model };
    const each = Array.from({ length: messages }, (_, at) => {
      return { id: String(at), timestamp: new Date(), attempts: 1, body };
    });
    await workOff(createMessageBatch<JobTurn>("continuo-job-turns", each), this.#bindings());
  }

  async part(claim: SliceClaim, lines: "all" | "succeeded" | "failed" = "all") {
    const name = { from: claim.slice.from, attempt: claim.attempt };
    const found = await env.JOB_STORE.get(jobPartKey(this.person.id, this.jobId, name, lines));
    return found === null ? null : await found.text();
  }

  async lines(claim: SliceClaim): Promise<ResultLine[]> {
    const text = (await this.part(claim)) ?? "";
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ResultLine);
  }

  #bindings(): ObjectBindings {
    let begun = false;
    const job = {
      claim: async () => {
        const claim = this.claims.shift();
        return claim === undefined ? { outcome: "nothing" } : { outcome: "claimed", claim };
      },
      renew: async () => ({ goOn: this.claimGoesOn }),
      commit: async (_: unknown, result: SliceResult) => {
        if (this.taken) this.commits.push(result);
        return this.taken;
      },
      giveBack: async (_: unknown, returned: SliceReturn) => void this.returns.push(returned),
    };
    const dispatcher = {
      begin: async () => {
        const begins = this.begins && !begun;
        begun = true;
        return begins;
      },
      renew: async () => {
        this.renewals += 1;
        return { goOn: this.turnGoesOn };
      },
      end: async (_: string, how: { drained: boolean; modelNotReady: boolean }) =>
        void this.ends.push(how),
    };
    const of = (rpc: object) => ({ idFromName: (name: string) => name, get: () => rpc });
    return { ...env, JOB: of(job), DISPATCHER: of(dispatcher) } as unknown as ObjectBindings;
  }
}
