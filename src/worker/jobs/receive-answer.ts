// An answer on its way into a result line: kept in memory with the others of its slice, or, where it may
// be large, into the store while it comes. Its bytes stay as they are.
import { SLICE_ANSWER_MAX_BYTES } from "../../contract/job-limits.ts";
import { joinBytes } from "../../core/answer-bytes.ts";
import type { ObjectBindings } from "../../durable-objects/objects.ts";
import type { ForwardedAnswer } from "../forward/forward-completion.ts";
import type { RunnableItem } from "./judge-items.ts";
import { answerLine, answerLineEnd, answerLineHead } from "./result-line.ts";
import type { SliceLines } from "./slice-result.ts";

/** It comes, or is there. */
export type Received = Pick<ForwardedAnswer, "body">;

export interface Receiving {
  item: RunnableItem;
  seed: number;
  large: boolean;
  lines: SliceLines;
  env: ObjectBindings;
}

/** One read: six answers of a turn come at once, some of them in one isolate. */
const READ_BYTES = 1024 * 1024;
const READ_LEAST_BYTES = 64 * 1024;

/** What an answer was thought to have at most is a bound of all but odd texts; this one is of memory. */
export const KEPT_ANSWER_MAX_BYTES = 4 * SLICE_ANSWER_MAX_BYTES;

/** Rejects when the answer breaks off. */
export async function receiveAnswer(answer: Received, to: Receiving): Promise<void> {
  const { item, seed, lines } = to;
  const name = { requestId: item.requestId, customId: item.customId };
  if (answer.body instanceof Uint8Array) {
    lines.keep(item.index, answerLine(name, seed, answer.body));
  } else if (to.large) {
    await flow(answer.body, to);
  } else {
    lines.keep(item.index, answerLine(name, seed, await readAll(answer.body)));
  }
}

async function flow(body: ReadableStream<Uint8Array>, to: Receiving): Promise<void> {
  const { item, seed, lines, env } = to;
  const upload = lines.openPart(env.JOB_STORE);
  try {
    upload.write(answerLineHead({ requestId: item.requestId, customId: item.customId }, seed));
    await readEach(body, async (bytes) => {
      upload.write(bytes);
      await upload.drain();
    });
    upload.write(answerLineEnd());
    await upload.finish();
    lines.noteFlowed(item.index, upload.bytes);
  } catch (failure) {
    await upload.abort();
    throw failure;
  }
}

/** Rejects when it breaks off, or is more than is kept in memory. */
async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  await readEach(body, async (bytes) => {
    length += bytes.length;
    if (length > KEPT_ANSWER_MAX_BYTES) throw new Error("an answer is larger than it could be");
    parts.push(bytes.slice());
  });
  return joinBytes(parts);
}

/** `take` must have copied the bytes when it resolves: they are read over. */
async function readEach(
  body: ReadableStream<Uint8Array>,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  let room = new Uint8Array(READ_BYTES);
  try {
    for (;;) {
      const { done, value } = await reader.readAtLeast(READ_LEAST_BYTES, room);
      if (value !== undefined && value.length > 0) await take(value);
      if (done || value === undefined) return;
      room = new Uint8Array(value.buffer);
    }
  } catch (failure) {
    await reader.cancel().catch(() => undefined);
    throw failure;
  }
}
