// What the Directory knows of an Account, whichever of the two loses its memory.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HOLD_LEASE_MS, ROLL_UP_AFTER_MS } from "../../src/contract/limits.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";
import {
  type AccountUnderTest,
  held,
  NOON,
  openAccount,
  stopTheClock,
  usage,
} from "./account-under-test.ts";

beforeEach(stopTheClock);
afterEach(() => void vi.useRealTimers());

/** A new stub for each call: one that saw its object crash is of no use any more. */
const directory = () => directoryOf(env);

/** An Account of somebody in the list. */
async function known(tokens: number): Promise<AccountUnderTest> {
  const account = await openAccount(tokens);
  const { name: id } = account;
  await directory().addPerson({ id, email: `${id}@example.org`, role: "member" });
  return account;
}

function told(account: AccountUnderTest) {
  return directory().rollUps([account.name]);
}

/** The clock goes on so far that everything is told which is to be told. */
async function afterAWhile(account: AccountUnderTest) {
  await account.pass(ROLL_UP_AFTER_MS);
  return expect.poll(() => told(account));
}

test("a Grant and what is spent of it are told, once for all that happens meanwhile", async () => {
  const account = await known(1_000);
  expect(await told(account)).toEqual([]);
  for (const id of ["one", "two"]) {
    await account.admit(id);
    await account.settle(held(id), usage(10, 3));
  }
  await (await afterAWhile(account)).toEqual([
    {
      ...{
        personId: account.name,
        at: expect.any(Number),
        month: "2100-03",
        lastUsedAt: NOON + 250,
      },
      ...{ spentThisMonth: 26, granted: 1_000, available: 974 },
    },
  ]);
});

test("no call and no commit tells anything where nothing has changed", async () => {
  const account = await known(1_000);
  await (await afterAWhile(account)).toMatchObject([{ granted: 1_000 }]);
  const [before] = await told(account);
  await account.rpc.snapshot();
  await account.pass(10 * ROLL_UP_AFTER_MS);
  expect(await told(account)).toEqual([before]);
});

test("a month's figure begins anew with the month", async () => {
  const account = await known(1_000);
  await account.admit("one");
  await account.settle(held("one"), usage(10, 3));
  vi.setSystemTime(Date.UTC(2100, 3, 1));
  await account.admit("two");
  await account.settle(held("two"), usage(10, 1));
  await (await afterAWhile(account)).toMatchObject([
    { month: "2100-04", spentThisMonth: 11, available: 976 },
  ]);
});

test("what a crash kept from being told is told by the alarm, which then rests", async () => {
  const account = await known(1_000);
  await account.admit("one");
  await account.settle(held("one"), usage(10, 3));
  await account.crash();
  vi.setSystemTime(NOON + 2 * HOLD_LEASE_MS);
  expect(await runDurableObjectAlarm(account.stub)).toBe(true);
  expect(await told(account)).toMatchObject([{ spentThisMonth: 13, available: 987 }]);
  await account.evict();
  for (let alarms = 0; await runDurableObjectAlarm(account.stub); alarms += 1) {
    expect(alarms).toBeLessThan(2);
    await account.evict();
  }
});

test("an Account that starts again says how it stands, though nothing happens to it", async () => {
  const account = await known(1_000);
  await account.crash();
  await account.rpc.snapshot();
  await (await afterAWhile(account)).toMatchObject([{ granted: 1_000, spentThisMonth: 0 }]);
});

test("a Directory that cannot take it is told when it can", async () => {
  const account = await known(1_000);
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const stub = env.DIRECTORY.getByName("directory");
  await runInDurableObject(stub, (_, { storage }) => {
    const full = "BEGIN SELECT raise(FAIL, 'full'); END";
    storage.sql.exec(`CREATE TRIGGER full BEFORE INSERT ON roll_ups ${full}`);
  });
  await account.pass(ROLL_UP_AFTER_MS);
  const failed = { event: "errand_failed", what: "roll_up", failure: expect.any(String) };
  await expect.poll(() => log.mock.calls).toEqual([[failed]]);
  await runInDurableObject(stub, (_, { storage }) => storage.sql.exec("DROP TRIGGER full"));
  expect(await told(account)).toEqual([]);
  await (await afterAWhile(account)).toMatchObject([{ granted: 1_000 }]);
  log.mockRestore();
});
