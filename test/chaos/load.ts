// Clients that complete again and again until they are stopped or cut off, and keep own books.
import { readStream } from "../e2e/event-stream.ts";
import type { Person } from "../e2e/person.ts";

export interface ClientRecord {
  person: Person;
  /** What it can cost at most. */
  worst: number;
  startedAt: number;
  endedAt: number | null;
  /** What the whole answer said that it cost; null if it never became whole. */
  cost: number | null;
  status: number | null;
  /** The code of an error, as a status or in the stream. */
  code: string | null;
}

export interface Load {
  records: ClientRecord[];
  /** Resolves when every client has ended its last request. */
  stop(): Promise<void>;
}

const PROMPT = [464, 11393, 373, 257, 1588];
const shapes = [
  { n: 1, max_tokens: 25, stream: true },
  { n: 2, max_tokens: 15, stream: true },
  { n: 1, max_tokens: 40, stream: false },
  { n: 3, max_tokens: 8, stream: false },
  { n: 1, max_tokens: 3, stream: true },
];

/** `clients` of each person at once. A client whose connection breaks does not come back. */
export function startLoad(people: readonly Person[], clients: number): Load {
  const records: ClientRecord[] = [];
  let stopped = false;
  const loop = async (person: Person, turn: number) => {
    for (let i = turn; !stopped; i++) {
      const shape = shapes[i % shapes.length];
      if (shape === undefined) throw new Error("there is no such shape");
      const record = await completeOnce(person, shape, records);
      if (record.cost === null) return;
    }
  };
  const loops = people.flatMap((person, p) =>
    Array.from({ length: clients }, (_, c) => loop(person, p + c)),
  );
  return {
    records,
    async stop() {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

async function completeOnce(
  person: Person,
  shape: { n: number; max_tokens: number; stream: boolean },
  records: ClientRecord[],
): Promise<ClientRecord> {
  const record: ClientRecord = {
    person,
    worst: PROMPT.length + shape.n * shape.max_tokens,
    startedAt: Date.now(),
    endedAt: null,
    cost: null,
    status: null,
    code: null,
  };
  records.push(record);
  const usage = shape.stream && { stream_options: { include_usage: true } };
  try {
    const body = { prompt: PROMPT, ignore_eos: true, ...shape, ...usage };
    const response = await person.complete(body);
    record.status = response.status;
    const text = await response.text();
    Object.assign(record, outcomeOf(text, shape.stream && response.status === 200));
  } catch {
    // The connection broke: nothing of the answer counts.
  }
  record.endedAt = Date.now();
  return record;
}

function outcomeOf(text: string, stream: boolean): Pick<ClientRecord, "cost" | "code"> {
  if (stream) {
    const { chunks, error, done } = readStream(text);
    const cost = done ? (chunks.at(-1)?.usage?.total_tokens ?? null) : null;
    return { cost, code: error?.code ?? null };
  }
  const answer = JSON.parse(text) as {
    usage?: { total_tokens: number };
    error?: { code: string };
  };
  return { cost: answer.usage?.total_tokens ?? null, code: answer.error?.code ?? null };
}
