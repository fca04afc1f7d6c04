// The engine dies under load. Every client is told, nobody pays beyond what was delivered, and all
// goes on when it is back.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Engine } from "../e2e/engine.ts";
import { deliveredTokens } from "../e2e/event-stream.ts";
import { newPerson, type Person } from "../e2e/person.ts";
import { RawRequest } from "../e2e/raw-request.ts";
import { newDataFolder } from "../e2e/stack-process.ts";
import { until } from "../e2e/until.ts";
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

const PROMPT_TOKENS = 3;
const asked = { prompt: [1, 2, 3], max_tokens: 2_000, ignore_eos: true };
const streamed = {
  ...asked,
  stream: true,
  stream_options: { include_usage: true, continuous_usage_stats: true },
};

it.each([1, 30])("SIGKILL of the engine under 40 requests after %i chunks", async (chunks) => {
  const engine = new Engine(mortal.stack);
  const people = await Promise.all([newPerson(mortal.stack), newPerson(mortal.stack)]);
  const clients = people.flatMap((person) =>
    Array.from({ length: 20 }, (_, i) => ({
      person,
      request: new RawRequest(person, i % 2 === 0 ? streamed : asked),
    })),
  );
  await engine.busy(clients.length);
  const streams = clients.filter((_, i) => i % 2 === 0);
  for (const { request } of streams) await request.chunks(chunks);
  const { url, key } = engineProcess;
  await engineProcess.kill();

  for (const [i, { request }] of clients.entries()) {
    const { status, ended } = await request.ended();
    expect(ended).toBe("whole");
    expect(status).toBe(i % 2 === 0 ? 200 : 502);
    if (i % 2 === 0) expect(request.stream.error?.code).toBe("inference_failed");
    else expect(JSON.parse(request.seen.body).error.code).toBe("inference_failed");
    expect(request.seen.body).not.toContain("[DONE]");
  }
  for (const person of people) {
    const delivered = streams
      .filter((client) => client.person === person)
      .map(({ request }) => PROMPT_TOKENS + deliveredTokens(request.stream.chunks));
    const { spent } = await person.settled();
    expect(spent).toBe(delivered.reduce((sum, tokens) => sum + tokens, 0));
    expect((await person.complete(asked)).status).toBe(502);
    expect((await person.settled()).spent).toBe(spent);
  }

  const port = Number(new URL(url).port);
  engineProcess = await startEngineProcess({ tokenDelayMs: 15, port, key });
  await Promise.all(people.map(expectServed));
});

async function expectServed(person: Person): Promise<void> {
  const body = { ...asked, max_tokens: 2 };
  const response = await until(
    "an answer of the engine that is back",
    () => person.complete(body),
    ({ status }) => status === 200,
  );
  await response.text();
}
