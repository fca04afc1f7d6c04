// A key leaks while it is in use: loops of the SDK and a running stream. A signed webhook says so; how
// soon is the key worth nothing, and how soon is the stream over?
import { setTimeout as pause } from "node:timers/promises";
import OpenAI from "openai";
import { sendKeyEvent } from "../../test/e2e/key-webhook.ts";
import type { Person } from "../../test/e2e/person.ts";

/** They ask one request after the other, so that some are always on their way. */
const LOOPS = 4;

export interface Drill {
  /** All from when the webhook was sent, in ms. */
  answeredMs: number;
  firstRefusalMs: number;
  streamEndMs: number;
  /** Requests that began after the webhook was answered, and were served all the same. */
  servedAfter: number;
  /** How long after that answer the last of those ended that ran already; 0 where none did. */
  lastEndMs: number;
  /** What the loops and the stream were told. */
  refusal: string;
  streamError: string;
}

export const REASON = "found in a public repository";

export async function leakDrill(person: Person, streamRunsMs: number): Promise<Drill> {
  const stream = await openStream(person);
  await pause(streamRunsMs);
  const loops = Array.from({ length: LOOPS }, () => startLoop(person));
  await Promise.all(loops.map(({ first }) => first));
  const sentAt = performance.now();
  const event = { type: "key.revoke", data: { key: person.key, reason: REASON } };
  const response = await sendKeyEvent(person.stack, event);
  if (!response.ok) throw new Error(`the webhook was refused: ${await response.text()}`);
  const answeredAt = performance.now();
  const refusals = await Promise.all(loops.map(({ refused }) => refused));
  const ended = await stream.ended;
  const served = loops.flatMap((loop) => loop.served);
  return {
    answeredMs: answeredAt - sentAt,
    firstRefusalMs: Math.min(...refusals.map(({ at }) => at)) - sentAt,
    streamEndMs: ended.at - sentAt,
    servedAfter: served.filter(({ begunAt }) => begunAt > answeredAt).length,
    lastEndMs: Math.max(
      ...[
        0,
        ...served.filter(({ begunAt }) => begunAt <= answeredAt).map(({ at }) => at - answeredAt),
      ],
    ),
    refusal: [...new Set(refusals.map(({ why }) => why))].join(" / "),
    streamError: ended.why,
  };
}

interface End {
  at: number;
  why: string;
}

/** One request after the other, until one is refused. */
function startLoop(person: Person) {
  const served: { begunAt: number; at: number }[] = [];
  const first = Promise.withResolvers<void>();
  const client = person.sdk();
  const refused = (async (): Promise<End> => {
    for (;;) {
      const begunAt = performance.now();
      try {
        await client.completions.create({ model: "local", prompt: "Call me", max_tokens: 1 });
      } catch (failure) {
        return endOf(failure);
      }
      served.push({ begunAt, at: performance.now() });
      first.resolve();
    }
  })();
  return { served, first: first.promise, refused };
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
