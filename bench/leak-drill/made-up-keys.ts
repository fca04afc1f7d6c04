// Keys that nobody has minted knock at the door: what they are answered, how soon, and which objects they
// wake. The data folder of the stack tells: an object has a database of its own as soon as it wakes.
import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { newPerson, type Person } from "../../test/e2e/person.ts";
import type { Stack } from "../../test/e2e/stack-process.ts";

export interface MadeUpKeys {
  /** How often each status was answered. */
  statuses: Map<number, number>;
  /** Of all of them, several at a time. */
  seconds: number;
  /** Of some more, one after the other; and of `/health`, which does nothing, beside them. */
  answerMs: number[];
  healthMs: number[];
  objectsWoken: number;
  /** For comparison: by one person who is new. */
  objectsOfOnePerson: number;
}

const AT_ONCE = 50;
const ONE_BY_ONE = 500;
const CHARACTERS = "0123456789abcdefghjkmnpqrstvwxyz";

export async function tryMadeUpKeys(
  stack: Stack,
  data: string,
  count: number,
  addresses: readonly string[],
): Promise<MadeUpKeys> {
  const beforePerson = objectsOnDisk(data);
  const person = await newPerson(stack);
  const before = objectsOnDisk(data);
  const statuses = new Map<number, number>();
  const began = performance.now();
  for (let i = 0; i < count; i += AT_ONCE) {
    const knocks = Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, j) =>
      knock(stack, madeUpKey(person, i + j), addresses[(i + j) % addresses.length]),
    );
    for (const status of await Promise.all(knocks))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const seconds = (performance.now() - began) / 1_000;
  const answerMs: number[] = [];
  const healthMs: number[] = [];
  for (let i = 0; i < ONE_BY_ONE; i += 1) {
    answerMs.push(await timed(() => knock(stack, madeUpKey(person, i))));
    healthMs.push(await timed(async () => (await fetch(`${stack.app}/health`)).text()));
  }
  const objectsWoken = objectsOnDisk(data) - before;
  const objectsOfOnePerson = before - beforePerson;
  return { statuses, seconds, answerMs, healthMs, objectsWoken, objectsOfOnePerson };
}

/** By turns: of an account of nobody, of one that there is, and what looks like no key of ours. */
function madeUpKey(person: Person, number: number): string {
  switch (number % 3) {
    case 0:
      return `ctn_${characters(16)}_${characters(40)}`;
    case 1:
      return `ctn_${person.id}_${characters(40)}`;
    default:
      return `sk-${characters(48)}`;
  }
}

function characters(count: number): string {
  return Array.from({ length: count }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join("");
}

async function knock(stack: Stack, key: string, address?: string): Promise<number> {
  const response = await fetch(`${stack.api}/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(address !== undefined && { "cf-connecting-ip": address }),
    },
    body: JSON.stringify({ model: "local", prompt: "x", max_tokens: 1 }),
  });
  await response.text();
  return response.status;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

function objectsOnDisk(data: string): number {
  const files = readdirSync(join(data, "objects"), { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.includes("continuo") && name.endsWith(".sqlite")).length;
}
