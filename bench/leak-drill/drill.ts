// A key leaks while it is in use: a loop of the SDK and a running stream. A signed webhook says so; how
// soon is the key worth nothing, and how soon is the stream over?
import { setTimeout as pause } from "node:timers/promises";
import OpenAI from "openai";
import { sendKeyEvent } from "../../test/e2e/key-webhook.ts";
import type { Person } from "../../test/e2e/person.ts";

export interface Drill {
  /** All from when the webhook was sent, in ms. */
  answeredMs: number;
  firstRefusalMs: number;
  streamEndMs: number;
  /** Requests that began after the webhook was answered, and were served all the same. */
  servedAfter: number;
  /** What the loop and the stream were told. */
  refusal: string;
  streamError: string;
}

export const REASON = "found in a public repository";

export async function leakDrill(person: Person, streamRunsMs: number): Promise<Drill> {
  const stream = await openStream(person);
  await pause(streamRunsMs);
  const loop = startLoop(person);
  await loop.served;
  const sentAt = performance.now();
  const event = { type: "key.revoke", data: { key: person.key, reason: REASON } };
  const response = await sendKeyEvent(person.stack, event);
  if (!response.ok) throw new Error(`the webhook was refused: ${await response.text()}`);
  const answeredAt = performance.now();
  const [refused, ended] = await Promise.all([loop.refused, stream.ended]);
  return {
    answeredMs: answeredAt - sentAt,
    firstRefusalMs: refused.at - sentAt,
    streamEndMs: ended.at - sentAt,
    servedAfter: loop.begun.slice(0, -1).filter((at) => at > answeredAt).length,
    refusal: refused.why,
    streamError: ended.why,
  };
}

interface End {
  at: number;
  why: string;
}

/** One request after the other, until one is refused. */
function startLoop(person: Person) {
  const begun: number[] = [];
  const first = Promise.withResolvers<void>();
  const client = person.sdk();
  const refused = (async (): Promise<End> => {
    for (;;) {
      begun.push(performance.now());
      try {
        await client.completions.create({ model: "local", prompt: "Call me", max_tokens: 1 });
        first.resolve();
      } catch (failure) {
        return endOf(failure);
      }
    }
  })();
  return { begun, served: first.promise, refused };
}

async function openStream(person: Person): Promise<{ ended: Promise<End> }> {
  const asked: OpenAI.Completions.CompletionCreateParamsStreaming & { ignore_eos: true } = {
    ...{ model: "local", prompt: [1, 2, 3], max_tokens: 4_000, stream: true, ignore_eos: true },
  };
  const chunks = await person.sdk().completions.create(asked);
  const first = Promise.withResolvers<void>();
  const ended = (async (): Promise<End> => {
    try {
      for await (const _ of chunks) first.resolve();
      return { at: performance.now(), why: "it came to its own end" };
    } catch (failure) {
      return endOf(failure);
    }
  })();
  await first.promise;
  return { ended };
}

function endOf(failure: unknown): End {
  const at = performance.now();
  if (!(failure instanceof OpenAI.APIError)) throw failure;
  return { at, why: `${failure.code}: ${failure.message}` };
}
