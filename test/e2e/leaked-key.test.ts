// A key leaks while a loop and a stream use it. On a stack of its own, whose Holds are renewed every
// second; `npm run drill:leak` measures it with the real times.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leakDrill, REASON } from "../../bench/leak-drill/drill.ts";
import { tryMadeUpKeys } from "../../bench/leak-drill/made-up-keys.ts";
import { sendKeyEvent } from "./key-webhook.ts";
import { newPerson } from "./person.ts";
import { newDataFolder, type StackProcess, startStack } from "./stack-process.ts";

const data = newDataFolder();
let running: StackProcess;

beforeAll(async () => {
  running = await startStack({ data, holdLeaseSeconds: 3, tokenDelayMs: 20 });
});

afterAll(async () => {
  await running.stop();
  rmSync(data, { recursive: true, force: true });
});

describe("a leaked key, of which a signed webhook tells", () => {
  it("is worth nothing from the next request on, and what runs with it is cut", async () => {
    const person = await newPerson(running.stack);
    const drill = await leakDrill(person, 100);
    expect(drill.servedAfter).toBe(0);
    expect(drill.refusal).toContain("invalid_api_key");
    expect(drill.refusal).toContain(REASON);
    expect(drill.streamError).toContain("invalid_api_key");
    expect(drill.streamError).toContain(REASON);
    const { tokens } = await person.record();
    expect(tokens.granted).toBe(tokens.available + tokens.spent + tokens.held);
  });

  const revoke = (key: string) => ({ type: "key.revoke", data: { key } });

  it("goes on where the delivery is forged, or old", async () => {
    const person = await newPerson(running.stack);
    const forged = { secret: `whsec_${Buffer.alloc(32).toString("base64")}` };
    const old = { at: Date.now() - 3_600_000 };
    for (const sending of [forged, old]) {
      const response = await sendKeyEvent(running.stack, revoke(person.key), sending);
      expect(response.status).toBe(401);
      expect((await response.json()).error.code).toBe("invalid_signature");
    }
    expect((await person.complete({ prompt: "a", max_tokens: 1 })).status).toBe(200);
  });

  it("is answered the same when the delivery is replayed, and nothing is done twice", async () => {
    const person = await newPerson(running.stack);
    const event = { type: "user.disable", data: { user_id: person.id } };
    const first = await (await sendKeyEvent(running.stack, event, { id: person.id })).text();
    await person.change({ disabled: false });
    const again = await (await sendKeyEvent(running.stack, event, { id: person.id })).text();
    expect(again).toBe(first);
    expect((await person.complete({ prompt: "a", max_tokens: 1 })).status).toBe(200);
  });
});

it("made-up keys are refused and wake no object, counted by the guard or not", async () => {
  for (const addresses of [[], ["192.0.2.1", "2001:db8::1"]]) {
    const tried = await tryMadeUpKeys(running.stack, data, 300, addresses);
    expect([401, 429]).toEqual(expect.arrayContaining([...tried.statuses.keys()]));
    expect(tried.objectsWoken).toBe(0);
    expect(tried.objectsOfOnePerson).toBeGreaterThan(0);
  }
});
