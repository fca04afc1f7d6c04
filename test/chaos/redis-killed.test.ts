// Redis dies in the middle of load. It only counts failures at the door: nothing about tokens or limits
// changes, nobody waits for it, and the log says loudly that the guard is open.
import { afterAll, beforeAll, expect, it } from "vitest";
import { killRedisUnderLoad } from "../../bench/leak-drill/redis-killed.ts";
import { type LocalRedis, startLocalRedis } from "../../infra/local/redis/redis-process.ts";
import { errorOf, newPerson } from "../e2e/person.ts";
import { type StackProcess, startStack } from "../e2e/stack-process.ts";
import { until } from "../e2e/until.ts";

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

it("SIGKILL of Redis under load changes nothing about tokens and limits", async () => {
  const limited = await newPerson(running.stack, { limits: { starts_per_minute: 2 } });
  const { statuses, people, strangerHears } = await killRedisUnderLoad(running.stack, redis);
  expect([...new Set(statuses)]).toEqual([200]);
  expect(people).toHaveLength(2);
  for (const { spent, answersSay, held, adds } of people) {
    expect({ spent, held, adds }).toEqual({ spent: answersSay, held: 0, adds: true });
  }
  expect([...new Set(strangerHears)]).toEqual([401]);
  await until(
    "a loud line in the log",
    async () => log,
    (text) => text.includes("THE GUARD IS OPEN"),
  );

  const asked = { prompt: "a", max_tokens: 1 };
  for (const status of [200, 200, 429]) expect((await limited.complete(asked)).status).toBe(status);
  const poor = await newPerson(running.stack, { tokens: 1 });
  expect((await errorOf(await poor.complete(asked))).code).toBe("budget_exceeded");
});
