// The gateway dies under load. Afterwards every person's books add up, nobody paid for what the
// engine did not do, and what nobody could report any more is at most what ran, and is shown.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BLOCK_AHEAD_TOKENS } from "../../src/contract/limits.ts";
import { Engine, type EngineCounters } from "../e2e/engine.ts";
import { deliveredTokens } from "../e2e/event-stream.ts";
import { newPerson, type Person, type PersonRecord, type Tokens } from "../e2e/person.ts";
import { RawRequest } from "../e2e/raw-request.ts";
import { newDataFolder } from "../e2e/stack-process.ts";
import { until } from "../e2e/until.ts";
import { type EngineProcess, MortalStack, startEngineProcess } from "./kill.ts";
import { type ClientRecord, startLoad } from "./load.ts";

const data = newDataFolder();
let engineProcess: EngineProcess;
let mortal: MortalStack;

beforeAll(async () => {
  engineProcess = await startEngineProcess({ tokenDelayMs: 15 });
  mortal = await MortalStack.start(engineProcess, data);
});

afterAll(async () => {
  await mortal.stop();
  await engineProcess.kill();
  rmSync(data, { recursive: true, force: true });
});

const PEOPLE = 5;
const CLIENTS_EACH = 10;
/** Well above the block, so that what is set aside is not simply all that there is. */
const GRANTED = 200_000;

/**
 * Four times what a settlement or a new Hold may wait for its commit: whatever began or ended
 * earlier is on disk, also on a busy machine.
 */
const SURELY_WRITTEN_MS = 1_000;

it.each([
  { when: "as soon as 50 requests run", finished: 0 },
  { when: "while requests begin and end", finished: 60 },
  { when: "after many have ended", finished: 200 },
])("kill -9 of the gateway $when", async ({ when, finished }) => {
  const engine = new Engine(mortal.stack);
  const before = await engine.idle();
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i++) people.push(await newPerson(mortal.stack, { tokens: GRANTED }));
  const load = startLoad(people, CLIENTS_EACH);
  await until(
    `${finished} finished requests while 50 run`,
    async () => ({
      whole: load.records.filter(({ cost }) => cost !== null).length,
      running: await engine.counters().then((counters) => counters.running),
    }),
    ({ whole, running }) => whole >= finished && running >= PEOPLE * CLIENTS_EACH,
  );
  const killedAt = Date.now();
  await mortal.kill();
  await load.stop();
  const counted = tokensBetween(before, await engine.idle());

  await mortal.restart();
  for (const person of people) expectAddsUp(await person.tokens());
  const books = await Promise.all(people.map((person) => bookOf(person, load.records, killedAt)));
  printLedger(when, books, counted);

  for (const { record, whole, owed, worst, ran } of books) {
    expectAddsUp(record.tokens);
    expect(record.tokens.spent).toBeGreaterThanOrEqual(owed);
    expect(record.tokens.spent).toBeLessThanOrEqual(whole + worst);
    expect(record.unreported.requests).toBeLessThanOrEqual(ran);
    expect(record.unreported.unclaimed_tokens).toBeLessThanOrEqual(BLOCK_AHEAD_TOKENS);
    const { prompt_tokens, completion_tokens } = record.usage.totals;
    expect(prompt_tokens + completion_tokens).toBe(record.tokens.spent);
    expect(record.overrun_tokens).toBe(0);
  }
  const spent = sum(books, ({ record }) => record.tokens.spent);
  const unpaid = counted - spent;
  expect(unpaid).toBeGreaterThanOrEqual(0);
  expect(unpaid).toBeLessThanOrEqual(sum(books, ({ worst }) => worst));
  expect(unpaid).toBeLessThanOrEqual(sum(books, ({ record }) => shown(record)));
  // The Holds on record alone cover it but for those who began just before the crash.
  const onRecord = sum(books, ({ record }) => record.unreported.at_most_tokens);
  expect(unpaid).toBeLessThanOrEqual(onRecord + sum(books, ({ unwritten }) => unwritten));

  await Promise.all(people.map(expectServed));
});

it("kill -9 of the gateway in long streams: progress is paid for, the rest is shown", async () => {
  const engine = new Engine(mortal.stack);
  const before = await engine.idle();
  const person = await newPerson(mortal.stack, { tokens: GRANTED });
  const stream_options = { include_usage: true, continuous_usage_stats: true };
  const body = { prompt: [1, 2, 3], max_tokens: 600, ignore_eos: true, stream: true };
  const requests = Array.from({ length: 50 }, () => {
    return new RawRequest(person, { ...body, stream_options });
  });
  // At 15 ms a token that is well behind the first renewal, which comes after a second.
  for (const request of requests) await request.chunks(130);
  await mortal.kill();
  for (const request of requests) expect((await request.ended()).ended).toBe("broken");
  const counted = tokensBetween(before, await engine.idle());

  await mortal.restart();
  expectAddsUp(await person.tokens());
  const record = await leasesEnded(person);
  const { spent } = record.tokens;
  const received = sum(requests, ({ stream }) => 3 + deliveredTokens(stream.chunks));
  console.log(`long streams: the engine counted ${counted}, the client received ${received}`);
  console.table([{ ...record.tokens, ...record.unreported }]);
  expectAddsUp(record.tokens);
  expect(record.unreported.requests).toBe(50);
  expect(spent).toBeGreaterThan(50 * 3);
  expect(spent).toBeLessThanOrEqual(received);
  // All were long on record, so what was set aside need not be counted on.
  expect(counted - spent).toBeLessThanOrEqual(record.unreported.at_most_tokens);
  expect(record.unreported.unclaimed_tokens).toBeLessThanOrEqual(BLOCK_AHEAD_TOKENS);
  await expectServed(person);
});

interface Book {
  record: PersonRecord;
  /** The cost of all answers that the clients saw whole. */
  whole: number;
  /** The part of it whose settlement was surely on disk. */
  owed: number;
  /** Requests that the client had no whole answer of. */
  open: number;
  /** These, and those whose settlement may not have been on disk: their number and worst cost. */
  ran: number;
  worst: number;
  /** Of these, what may have left no trace on disk. */
  unwritten: number;
}

async function bookOf(
  person: Person,
  records: readonly ClientRecord[],
  killedAt: number,
): Promise<Book> {
  const record = await leasesEnded(person);
  const written = killedAt - SURELY_WRITTEN_MS;
  const own = records.filter((one) => one.person === person);
  const whole = own.filter(({ cost }) => cost !== null);
  const ended = whole.filter(({ endedAt }) => endedAt !== null && endedAt <= written);
  const ran = own.filter((one) => !ended.includes(one));
  const cost = (one: ClientRecord) => one.cost ?? 0;
  return {
    record,
    whole: sum(whole, cost),
    owed: sum(ended, cost),
    open: own.length - whole.length,
    ran: ran.length,
    worst: sum(ran, ({ worst }) => worst),
    unwritten: sum(
      ran.filter(({ startedAt }) => startedAt > written),
      ({ worst }) => worst,
    ),
  };
}

function leasesEnded(person: Person): Promise<PersonRecord> {
  return until(
    "the end of the lease",
    () => person.record(),
    ({ tokens }) => tokens.held === 0,
  );
}

function printLedger(when: string, books: readonly Book[], counted: number): void {
  const rows = books.map(({ record, whole, owed, open }) => ({
    ...record.tokens,
    "whole answers cost": whole,
    "of it over 1 s old": owed,
    "open requests": open,
    "unreported requests": record.unreported.requests,
    "unreported at most": record.unreported.at_most_tokens,
    unclaimed: record.unreported.unclaimed_tokens,
  }));
  const spent = sum(rows, (row) => row.spent);
  console.log(`kill -9 of the gateway ${when}: tokens by person, once the leases have ended`);
  console.table(rows);
  const atMost = sum(books, ({ record }) => shown(record));
  console.log(
    `the engine counted ${counted}, spent ${spent}, ` +
      `charged to nobody ${counted - spent}, shown as at most ${atMost}`,
  );
}

/** The bound that Admins see of what nobody was charged for. */
function shown({ unreported }: PersonRecord): number {
  return unreported.at_most_tokens + unreported.unclaimed_tokens;
}

async function expectServed(person: Person): Promise<void> {
  const { spent } = await person.settled();
  const asked = { prompt: [1, 2], max_tokens: 3, ignore_eos: true };
  expect((await person.complete(asked)).status).toBe(200);
  expect((await person.settled()).spent).toBe(spent + 5);
}

function expectAddsUp({ granted, spent, held, available }: Tokens): void {
  expect(granted).toBe(GRANTED);
  expect(available + held + spent).toBe(granted);
  expect(available).toBeGreaterThanOrEqual(0);
}

function tokensBetween(before: EngineCounters, after: EngineCounters): number {
  return (
    after.promptTokens - before.promptTokens + (after.generationTokens - before.generationTokens)
  );
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
