// The gateway or the engine dies while a Job runs. No line is lost, none is charged twice, and what the
// engine did for nobody is counted.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SLICE_ITEMS_MOST } from "../../src/contract/job-limits.ts";
import { Engine, type EngineCounters } from "../e2e/engine.ts";
import { newPerson } from "../e2e/person.ts";
import { newDataFolder } from "../e2e/stack-process.ts";
import { ChaosJob, ITEM_TOKENS, ITEMS } from "./chaos-job.ts";
import { type EngineProcess, MortalStack, startEngineProcess } from "./kill.ts";

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

/** Leases of half a minute run out after a crash, and the machine may be busy. */
const TIMEOUT_MS = 240_000;

it.each([
  { when: "as it was taken in", items: 0 },
  { when: "in the middle", items: ITEMS / 2 },
  { when: "shortly before its end", items: ITEMS - 2 * SLICE_ITEMS_MOST },
])("kill -9 of the gateway while a Job runs, $when", { timeout: TIMEOUT_MS }, async ({ items }) => {
  const engine = new Engine(mortal.stack);
  const before = await engine.idle();
  const person = await newPerson(mortal.stack, { tokens: 200_000 });
  const job = await ChaosJob.submit(person);
  await job.reached(items);
  await mortal.kill();
  await mortal.restart();
  const { tokens, unreported } = await job.expectWhole();
  const counted = tokensBetween(before, await engine.idle());
  const unpaid = counted - tokens.spent;
  const shown = unreported.at_most_tokens + unreported.unclaimed_tokens;
  console.log(
    `after ${items} items: the engine counted ${counted}, spent ${tokens.spent}, ` +
      `charged to nobody ${unpaid}, shown as at most ${shown}`,
  );
  expect(unpaid).toBeGreaterThanOrEqual(0);
  expect(unpaid).toBeLessThanOrEqual(shown);
  // What may run at once, and the slices that were done for and not committed.
  expect(unreported.requests).toBeLessThanOrEqual(ITEMS);
});

it("SIGKILL of the engine while a Job runs", { timeout: TIMEOUT_MS }, async () => {
  const person = await newPerson(mortal.stack, { tokens: 200_000 });
  const job = await ChaosJob.submit(person);
  await job.reached(100);
  const { url, key } = engineProcess;
  await engineProcess.kill();
  const port = Number(new URL(url).port);
  engineProcess = await startEngineProcess({ tokenDelayMs: 15, port, key });
  const { tokens } = await job.expectWhole();
  expect(tokens.spent).toBe(ITEMS * ITEM_TOKENS);
});

function tokensBetween(before: EngineCounters, after: EngineCounters): number {
  return (
    after.promptTokens - before.promptTokens + (after.generationTokens - before.generationTokens)
  );
}
