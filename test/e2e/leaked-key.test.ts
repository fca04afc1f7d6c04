// A key leaks while a loop and a stream use it. On a stack of its own, whose Holds are renewed every
// second; `npm run drill:leak` measures it with the real times.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leakDrill, REASON } from "../../bench/leak-drill/drill.ts";
import { sendKeyEvent } from "./key-webhook.ts";
import { newPerson } from "./person.ts";
import { type StackProcess, startStack } from "./stack-process.ts";

let running: StackProcess;

beforeAll(async () => {
  running = await startStack({ holdLeaseSeconds: 3, tokenDelayMs: 20 });
});

afterAll(() => running.stop());

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
