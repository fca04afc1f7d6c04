// The gateway dies while an admin works. What was answered is there afterwards.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { admin, type MintedKey, newPerson, type Person } from "../e2e/person.ts";
import { newDataFolder } from "../e2e/stack-process.ts";
import { until } from "../e2e/until.ts";
import { type EngineProcess, MortalStack, startEngineProcess } from "./kill.ts";

const data = newDataFolder();
let engine: EngineProcess;
let mortal: MortalStack;

beforeAll(async () => {
  engine = await startEngineProcess();
  mortal = await MortalStack.start(engine, data);
});

afterAll(async () => {
  await mortal.stop();
  await engine.kill();
  rmSync(data, { recursive: true, force: true });
});

const GRANT_TOKENS = 10;

/** What was answered, and what was asked when the connection broke. */
interface Changes {
  people: string[];
  grants: string[];
  minted: MintedKey[];
  revoked: MintedKey[];
  underWay: { grants: number };
}

it.each([10, 35, 80])("kill -9 after %i changes loses none of them", async (answered) => {
  const person = await newPerson(mortal.stack, { tokens: 0 });
  const changes: Changes = {
    people: [],
    grants: [],
    minted: [],
    revoked: [],
    underWay: { grants: 0 },
  };
  const loops = [addPeople(changes), grant(person, changes), mintAndRevoke(person, changes)];
  await until(
    `${answered} changes`,
    () => changes.people.length + changes.grants.length + changes.minted.length,
    (count) => count >= answered,
  );
  await mortal.kill();
  await Promise.all(loops);
  await mortal.restart();

  const { grants, tokens } = await person.record();
  const known = grants.map(({ id }) => id);
  expect(known).toEqual(expect.arrayContaining(changes.grants));
  expect(known.length - changes.grants.length).toBeLessThanOrEqual(changes.underWay.grants);
  expect(tokens.granted).toBe(known.length * GRANT_TOKENS);
  expect(tokens.granted).toBe(tokens.available + tokens.held + tokens.spent);

  const revoked = new Set(changes.revoked.map(({ id }) => id));
  const statuses = await Promise.all(
    changes.minted.map(async (key) => {
      const response = await person.with(key).call("GET", "/v1/account");
      return { revoked: revoked.has(key.id), status: response.status };
    }),
  );
  // The last revocation may have been made and not answered.
  const wrong = statuses.filter((one) => one.status !== (one.revoked ? 401 : 200));
  expect(wrong.filter((one) => one.revoked)).toEqual([]);
  expect(wrong.length).toBeLessThanOrEqual(1);

  for (const id of changes.people) {
    expect(await admin(mortal.stack, "GET", `/people/${id}`)).toMatchObject({ id });
  }
});

/** Goes on until the connection breaks. */
async function untilBroken(change: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; ; turn++) {
    try {
      await change(turn);
    } catch {
      return;
    }
  }
}

function addPeople({ people }: Changes): Promise<void> {
  return untilBroken(async (turn) => {
    const email = `crash-${Date.now()}-${turn}@example.org`;
    const { id } = await admin<{ id: string }>(mortal.stack, "POST", "/people", { email });
    people.push(id);
  });
}

function grant(person: Person, { grants, underWay }: Changes): Promise<void> {
  return untilBroken(async (turn) => {
    underWay.grants = 1;
    const { id } = await person.grant(GRANT_TOKENS, `turn${turn}`);
    grants.push(id);
    underWay.grants = 0;
  });
}

function mintAndRevoke(person: Person, { minted, revoked }: Changes): Promise<void> {
  return untilBroken(async (turn) => {
    const key = await person.mint({ name: `turn ${turn}` });
    minted.push(key);
    if (turn % 2 === 1) return;
    await admin(mortal.stack, "POST", `/keys/${key.id}/revoke`, { reason: "turn" });
    revoked.push(key);
  });
}
