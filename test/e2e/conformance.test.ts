import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventsOf } from "../conformance/answers.ts";
import { Check } from "../conformance/case.ts";
import { checkSame, explicitly, type Pair } from "../conformance/gateway/same-answer.ts";
import { groupsFor } from "../conformance/groups.ts";
import { membersOf } from "../conformance/json-members.ts";
import { Places } from "../conformance/places.ts";
import { runGroups } from "../conformance/run.ts";
import { Target } from "../conformance/target.ts";
import { ISHMAEL } from "../conformance/url/prompts.ts";
import { Engine } from "./engine.ts";
import { newPerson, type Person } from "./person.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const shared = { model: null, eosId: 50_256, places: new Places(16) };

let person: Person;
let pair: Pair;

beforeAll(async () => {
  person = await newPerson(stack, { tokens: 1_000_000_000 });
  const [ours, theirs] = [
    { ...shared, url: stack.api, key: person.key },
    { ...shared, url: stack.engine, key: stack.engineKey },
  ];
  pair = { gateway: await Target.open(ours), engine: await Target.open(theirs) };
});
afterAll(() => engine.disarm());

describe("the conformance suite", () => {
  test("finds no difference between gateway, engine and contract", async () => {
    const rows = await runGroups(
      await groupsFor(pair.gateway, pair.engine, { bundle: true }),
      true,
    );
    const different = rows.filter(({ failed }) => failed > 0);
    expect(different).toEqual([]);
    expect(rows.every(({ passed }) => passed > 0)).toBe(true);
  });

  test("notices an answer that was parsed and printed again", async () => {
    const printer = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const type = "application/json";
      const init = { headers: { authorization: `Bearer ${person.key}`, "content-type": type } };
      const post = { ...init, method: "POST", body: Buffer.concat(chunks) };
      const path = (request.url ?? "").replace(/^\/v1/, "");
      const answer = await fetch(stack.api + path, request.method === "POST" ? post : init);
      const text = await answer.text();
      response.writeHead(answer.status, { "content-type": type });
      response.end(JSON.stringify(JSON.parse(text)));
    }).listen(0, "127.0.0.1");
    await once(printer, "listening");
    const { port } = printer.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const reprinted = { ...pair, gateway: await Target.open({ ...shared, url, key: person.key }) };
    const check = new Check();
    const body = { prompt: ISHMAEL, max_tokens: 2, prompt_logprobs: 5, seed: 1 };
    await checkSame(check, pair, body, "as it came");
    expect(check.differences).toEqual([]);
    await checkSame(check, reprinted, body, "printed again").finally(() => {
      printer.closeAllConnections();
      printer.close();
    });
    expect(check.differences.map(({ at }) => at)).toEqual(["printed again: choices"]);
  });
});

describe("a map of logprobs with a dangerous key and one key twice", () => {
  const body = { prompt: ISHMAEL, max_tokens: 4, logprobs: 2, seed: 1 };

  test.each([false, true])("passes byte for byte, stream %s", async (stream) => {
    const asked = explicitly({ ...body, stream, model: "local" }, pair.engine);
    const theirs = Buffer.from(await (await engine.complete(asked, "proto")).arrayBuffer());
    await engine.arm("proto");
    const ours = Buffer.from(await (await person.complete({ ...body, stream })).arrayBuffer());
    expect(ours.includes('"__proto__":-9.5')).toBe(true);
    expect(choicesIn(ours)).toEqual(choicesIn(theirs));
    expect(choicesIn(ours)).toHaveLength(stream ? 4 : 1);
  });
});

/** From the answer, or from each of its events but the usage chunk. */
function choicesIn(bytes: Buffer): (string | undefined)[] {
  const objects = bytes[0] === 0x7b ? [bytes] : eventsOf(bytes).slice(0, -1);
  const choices = objects.map((object) => membersOf(object).get("choices")?.toString());
  return choices.filter((text) => text !== "[]");
}
