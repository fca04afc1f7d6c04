// Redis dies in the middle of load. It only counts failures at the door: nothing about tokens may change,
// nobody may wait for it, and strangers hear what they would hear without it.
import type { LocalRedis } from "../../infra/local/redis/redis-process.ts";
import { GUARD_FAILURES_MOST } from "../../src/contract/guard.ts";
import { type ClientRecord, startLoad } from "../../test/chaos/load.ts";
import { newPerson, type Person } from "../../test/e2e/person.ts";
import type { Stack } from "../../test/e2e/stack-process.ts";
import { until } from "../../test/e2e/until.ts";

export interface RedisKilled {
  /** Of each Completion; null where the connection broke. */
  statuses: (number | null)[];
  /** Answers of before and after, how long each took. */
  beforeMs: number[];
  afterMs: number[];
  people: { spent: number; answersSay: number; held: number; adds: boolean }[];
  /** What a stranger hears who fails again and again after Redis is gone. */
  strangerHears: number[];
}

const CLIENTS_EACH = 4;
const ANSWERS_EACH_SIDE = 100;

export async function killRedisUnderLoad(stack: Stack, redis: LocalRedis): Promise<RedisKilled> {
  const people = [await newPerson(stack), await newPerson(stack)];
  await until(
    "a stranger who is shut out by what Redis counted",
    () => knock(stack, "192.0.2.1"),
    (status) => status === 429,
  );
  const load = startLoad(people, CLIENTS_EACH);
  const served = () => load.records.filter(({ cost }) => cost !== null);
  const enough = (more: number) => {
    const least = served().length + more;
    return until(
      `${more} more that were served`,
      async () => served().length,
      (count) => count >= least,
    );
  };
  await enough(ANSWERS_EACH_SIDE);
  await redis.kill();
  const killedAt = Date.now();
  const strangerHears: number[] = [];
  for (let i = 0; i < 2 * GUARD_FAILURES_MOST; i++)
    strangerHears.push(await knock(stack, "192.0.2.2"));
  await enough(ANSWERS_EACH_SIDE);
  await load.stop();
  const { records } = load;
  return {
    statuses: records.map(({ status }) => status),
    beforeMs: records.filter(({ endedAt }) => (endedAt ?? 0) <= killedAt).map(tookMs),
    afterMs: records.filter(({ startedAt }) => startedAt > killedAt).map(tookMs),
    people: await Promise.all(people.map((person) => booksOf(person, records))),
    strangerHears,
  };
}

/** A stranger behind this address tries a key of nobody. */
async function knock(stack: Stack, address: string): Promise<number> {
  const response = await fetch(`${stack.api}/account`, {
    headers: {
      authorization: `Bearer ctn_${"a".repeat(16)}_${"b".repeat(40)}`,
      "cf-connecting-ip": address,
    },
  });
  await response.text();
  return response.status;
}

/** What the service says was spent, and what the answers said that they cost. */
async function booksOf(person: Person, records: readonly ClientRecord[]) {
  const own = records.filter((record) => record.person === person);
  const answersSay = own.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const { granted, spent, held, available } = await person.settled();
  return { spent, answersSay, held, adds: granted === spent + held + available };
}

function tookMs({ startedAt, endedAt }: ClientRecord): number {
  return (endedAt ?? Number.NaN) - startedAt;
}
