// What becomes of a delivery that is forged, changed on its way or old, and of one that comes again.
import { randomUUID } from "node:crypto";
import { type Sending, sendKeyEvent } from "../../test/e2e/key-webhook.ts";
import { admin, newPerson } from "../../test/e2e/person.ts";
import type { Stack } from "../../test/e2e/stack-process.ts";

export interface Deliveries {
  what: string;
  /** Of each answer the status, and the error's code or the event's outcome. */
  answers: string[];
  /** Whether all answers are the same, byte for byte. */
  areSame: boolean;
  /** Whether the key still is good. */
  isGood: boolean;
  /** Of revocations, in the audit log. */
  auditRows: number;
}

const HOUR_MS = 3_600_000;

export async function sendDeliveries(stack: Stack): Promise<Deliveries[]> {
  const forged = { secret: `whsec_${Buffer.alloc(32).toString("base64")}` };
  const [replayed, again] = [{ id: randomUUID() }, { id: randomUUID() }];
  return [
    await send(stack, "forged, by another secret", [forged]),
    await send(stack, "changed on its way, by a space", [{ tail: " " }]),
    await send(stack, "an hour old", [{ at: Date.now() - HOUR_MS }]),
    await send(stack, "an hour ahead", [{ at: Date.now() + HOUR_MS }]),
    await send(stack, "right, and replayed twice", [replayed, replayed, replayed]),
    await send(stack, "right, and sent by two senders", [replayed, again]),
  ];
}

/** All of them ask for the same: that the key of a new person be revoked. */
async function send(stack: Stack, what: string, sendings: readonly Sending[]): Promise<Deliveries> {
  const person = await newPerson(stack);
  const event = { type: "key.revoke", data: { key: person.key, reason: "in a build log" } };
  const texts: string[] = [];
  const answers: string[] = [];
  for (const sending of sendings) {
    const id = sending.id && `${sending.id} ${person.id}`;
    const response = await sendKeyEvent(stack, event, { ...sending, ...(id && { id }) });
    const text = await response.text();
    texts.push(text);
    const { error, data } = JSON.parse(text) as Answer;
    answers.push(`${response.status} ${error?.code ?? data?.[0]?.outcome}`);
  }
  const { status } = await person.complete({ prompt: "a", max_tokens: 1 });
  const audit = `/audit?whom=${person.id}&what=key.revoke`;
  const { data } = await admin<{ data: unknown[] }>(stack, "GET", audit);
  const areSame = new Set(texts).size === 1;
  return { what, answers, areSame, isGood: status === 200, auditRows: data.length };
}

interface Answer {
  error?: { code: string };
  data?: { outcome: string }[];
}
