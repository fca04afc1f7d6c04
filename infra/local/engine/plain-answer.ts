// The answer without `stream`: one JSON object, key for key as FastAPI writes vLLM's response.
// Small ones go out whole, with their length; large ones flow as they are written.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Answer } from "./answer.ts";
import { BodyWriter } from "./body-writer.ts";
import type { Completion } from "./completion.ts";
import { RequestError } from "./errors.ts";
import { logprobsParts, outputRows, promptRows } from "./logprobs.ts";
import type { Sequence } from "./sequence.ts";
import { VOCABULARY_SIZE } from "./tokenizer.ts";

/** Up to this many logprob entries, an answer is put together whole. */
const WHOLE_ANSWER_ENTRIES = 20_000;

type Part = string | Buffer;

export async function answerPlain(completion: Completion, response: Answer): Promise<void> {
  const { run, fault } = completion;
  if (fault?.fault === "hang") return new BodyWriter(response, fault).hang();
  for (let steps = 0; !run.finished; steps++) {
    if (fault?.fault === "abort" && steps >= fault.at) run.abort();
    else if (run.step().length === 0 || !run.finished) await run.untilNextStep();
  }
  if (response.destroyed) return;
  if (fault?.fault === "error-in-stream") {
    throw new RequestError(500, "InternalServerError", "Internal server error");
  }
  const parts = answerParts(completion);
  if (entryCount(completion) <= WHOLE_ANSWER_ENTRIES) sendWhole(completion, response, parts);
  else await sendFlowing(completion, response, parts);
}

function sendWhole(completion: Completion, response: Answer, parts: Iterable<Part>): void {
  let body = "";
  for (const part of parts) body += part;
  const { fault } = completion;
  if (fault === undefined) {
    const length = Buffer.byteLength(body);
    response.writeHead(200, { "content-length": length, "content-type": "application/json" });
    response.end(body);
    return;
  }
  void sendFaulty(completion, response, body);
}

async function sendFaulty({ fault }: Completion, response: Answer, body: string): Promise<void> {
  const zipped = fault?.fault === "gzip-anyway";
  response.writeHead(200, {
    "content-type": "application/json",
    ...(zipped
      ? { "content-encoding": "gzip" }
      : { "content-length": String(Buffer.byteLength(body)) }),
  });
  const writer = new BodyWriter(response, fault);
  const bytes = Buffer.from(body);
  const stops = fault?.fault === "cut" || fault?.fault === "hang-mid";
  await writer.write(stops ? bytes.subarray(0, bytes.length / 2) : bytes);
  if (fault?.fault === "cut") await writer.cut();
  else if (fault?.fault === "hang-mid") await writer.hang();
  else writer.end();
}

async function sendFlowing(
  { fault }: Completion,
  response: Answer,
  parts: Iterable<Part>,
): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  const writer = new BodyWriter(response, fault);
  let sent = 0;
  for (const part of parts) {
    if (writer.closed) return;
    await writer.write(part);
    // A row takes milliseconds to write; others get a turn between rows.
    await nextTurn();
    sent++;
    if (fault?.fault === "cut" && sent > fault.at) return writer.cut();
    if (fault?.fault === "hang-mid" && sent > fault.at) return writer.hang();
  }
  writer.end();
}

function entryCount({ request, run }: Completion): number {
  const entries = (looked: number | undefined) =>
    looked === undefined ? 0 : (looked === -1 ? VOCABULARY_SIZE : looked) + 1;
  const promptEntries = entries(promptLooked(request));
  const outputEntries = entries(request.logprobs);
  return run.sequences.reduce(
    (sum, { prompt, output }) =>
      sum + prompt.length * promptEntries + output.length * outputEntries,
    0,
  );
}

/** `echo` with `logprobs` looks up the prompt's too. */
export function promptLooked(request: Completion["request"]): number | undefined {
  return request.promptLogprobs ?? (request.echo ? request.logprobs : undefined);
}

function* answerParts(completion: Completion): Generator<Part> {
  const { engine, id, created, run } = completion;
  yield `{"id":${JSON.stringify(id)},"object":"text_completion","created":${created},` +
    `"model":${JSON.stringify(engine.entry.id)},"choices":[`;
  for (const sequence of run.sequences) {
    if (sequence.index > 0) yield ",";
    yield* choiceParts(completion, sequence);
  }
  yield `],"service_tier":null,"system_fingerprint":"${engine.fingerprint}",` +
    `"usage":${plainUsage(completion)},"kv_transfer_params":null,"ec_transfer_params":null,` +
    `"metrics":null}`;
}

function plainUsage(completion: Completion): string {
  const counts = completion.usage(completion.run.promptTokens, completion.run.completionTokens);
  return counts === undefined ? "null" : `{${counts},"prompt_tokens_details":null}`;
}

function* choiceParts(completion: Completion, sequence: Sequence): Generator<Part> {
  const { request, engine } = completion;
  const text = completion.echoText(sequence) + (completion.onlyEcho ? "" : sequence.text);
  yield `{"index":${sequence.index},"text":${JSON.stringify(text)},"logprobs":`;
  yield* choiceLogprobs(completion, sequence);
  const ids = request.returnTokenIds ? JSON.stringify(sequence.output) : "null";
  yield `,"finish_reason":${JSON.stringify(sequence.finishReason)},` +
    `"stop_reason":${JSON.stringify(sequence.stopReason)},"token_ids":${ids},"prompt_logprobs":`;
  const looked = promptLooked(request);
  if (looked === undefined) yield "null";
  else {
    yield "[";
    for (const [i, row] of promptRows(engine, sequence.prompt, looked).entries()) {
      if (i > 0) yield ",";
      yield* engine.rows.parts(row);
    }
    yield "]";
  }
  const promptIds = request.returnTokenIds ? JSON.stringify(sequence.prompt) : "null";
  yield `,"prompt_token_ids":${promptIds},"routed_experts":null}`;
}

function* choiceLogprobs(completion: Completion, sequence: Sequence): Generator<Part> {
  const { request, engine } = completion;
  if (request.logprobs === undefined) {
    yield "null";
    return;
  }
  const echoed = request.echo
    ? promptRows(engine, sequence.prompt, promptLooked(request) ?? request.logprobs)
    : [];
  const written = completion.onlyEcho
    ? []
    : outputRows(sequence.output, sequence.distributions, 0, request.logprobs);
  yield* logprobsParts(engine, [...echoed, ...written], completion.logprobOptions(0));
}
