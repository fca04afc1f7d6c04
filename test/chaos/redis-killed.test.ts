// Redis dies in the middle of load. It only counts failures at the door: nothing about tokens or limits
// changes, nobody waits for it, and the log says loudly that the guard is open.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LocalRedis, startLocalRedis } from "../../infra/local/redis/redis-process.ts";
import { GUARD_FAILURES_MOST } from "../../src/contract/guard.ts";
import { errorOf, newPerson, type Person } from "../e2e/person.ts";
import { type StackProcess, startStack } from "../e2e/stack-process.ts";
import { until } from "../e2e/until.ts";
import { type ClientRecord, startLoad } from "./load.ts";

let redis: LocalRedis;
let running: StackProcess;
let log = "";

beforeAll(async () => {
  redis = await startLocalRedis();
  running = await startStack({ redis });
  for (const stream of [running.child.stdout, running.child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
});

afterAll(async () => {
  await running.stop();
  await redis.stop();
});

/** A stranger behind this address tries a key of nobody. */
async function knock(address: string): Promise<number> {
  const response = await fetch(`${running.stack.api}/account`, {
    headers: {
      authorization: `Bearer ctn_${"a".repeat(16)}_${"b".repeat(40)}`,
      "cf-connecting-ip": address,
    },
  });
  await response.text();
  return response.status;
}

const served = (records: readonly ClientRecord[]) => records.filter(({ cost }) => cost !== null);

it("SIGKILL of Redis under load changes nothing about tokens and limits", async () => {
  const people = await Promise.all([newPerson(running.stack), newPerson(running.stack)]);
  const limited = await newPerson(running.stack, { limits: { starts_per_minute: 2 } });
  await until(
    "a stranger who is shut out by what Redis counted",
    () => knock("192.0.2.1"),
    (status) => status === 429,
  );

  const load = startLoad(people, 4);
  const enough = (more: number) => {
    const least = served(load.records).length + more;
    return until(
      `${more} more that were served`,
      async () => served(load.records).length,
      (count) => count >= least,
    );
  };
  await enough(100);
  await redis.kill();
  const statuses = new Set<number>();
  for (let i = 0; i < 2 * GUARD_FAILURES_MOST; i++) statuses.add(await knock("192.0.2.2"));
  await enough(100);
  await load.stop();

  expect([...statuses]).toEqual([401]);
  await until(
    "a loud line in the log",
    async () => log,
    (text) => text.includes("THE GUARD IS OPEN"),
  );
  expect(load.records.every(({ status }) => status === 200)).toBe(true);
  for (const person of people) await expectExact(person, load.records);

  const asked = { prompt: "a", max_tokens: 1 };
  for (const status of [200, 200, 429]) expect((await limited.complete(asked)).status).toBe(status);
  const poor = await newPerson(running.stack, { tokens: 1 });
  expect((await errorOf(await poor.complete(asked))).code).toBe("budget_exceeded");
});

/** Spent is what the answers said that they cost, to the token. */
async function expectExact(person: Person, records: readonly ClientRecord[]): Promise<void> {
  const own = records.filter((record) => record.person === person);
  const { granted, spent, available } = await person.settled();
  expect(spent).toBe(own.reduce((sum, { cost }) => sum + (cost ?? 0), 0));
  expect(granted).toBe(spent + available);
}
