// The answer with `stream`: one event a token and choice, as vLLM writes them. Fields nobody set
// are left out of these, unlike in the plain answer.
import type { Answer } from "./answer.ts";
import { BodyWriter } from "./body-writer.ts";
import type { Completion } from "./completion.ts";
import { errorEvent, RequestError } from "./errors.ts";
import { characterCount } from "./json-text.ts";
import { logprobsParts, outputRows, promptRows } from "./logprobs.ts";
import { promptLooked } from "./plain-answer.ts";
import type { Sequence } from "./sequence.ts";

const DONE = "data: [DONE]\n\n";

function startStream(response: Answer, zipped: boolean): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    ...(zipped ? { "content-encoding": "gzip" } : {}),
  });
}

/** A refusal that vLLM only finds after its 200. */
export function answerRefusedStream(response: Answer, error: RequestError): void {
  startStream(response, false);
  response.end(errorEvent(error) + DONE);
}

export async function answerStream(completion: Completion, response: Answer): Promise<void> {
  const { run, fault } = completion;
  const writer = new BodyWriter(response, fault);
  if (fault?.fault === "hang") return writer.hang();
  startStream(response, fault?.fault === "gzip-anyway");
  if (fault?.fault === "only-done") {
    run.abort();
    return writer.end(DONE);
  }
  const chunks = new StreamChunks(completion);
  let sent = 0;
  while (!run.finished && !writer.closed) {
    if (fault !== undefined && sent >= fault.at) {
      if (await strike(completion, writer, chunks)) return;
    }
    if (run.finished) break;
    for (const sequence of run.step()) {
      sent++;
      await writer.write(chunks.next(sequence));
    }
    await run.untilNextStep(true);
  }
  if (writer.closed) return;
  finish(completion, writer);
}

/** Lets a fault that waits for a chunk happen; true if the answer ends with it. */
async function strike(
  { run, fault }: Completion,
  writer: BodyWriter,
  chunks: StreamChunks,
): Promise<boolean> {
  switch (fault?.fault) {
    case "error-in-stream": {
      run.abort();
      const error = new RequestError(500, "InternalServerError", "Internal server error");
      writer.end(errorEvent(error) + DONE);
      return true;
    }
    case "abort": {
      const unfinished = run.sequences.filter(({ finishReason }) => finishReason === null);
      run.abort();
      for (const sequence of unfinished) await writer.write(chunks.next(sequence));
      return false;
    }
    case "cut":
      run.abort();
      await writer.cut();
      return true;
    case "hang-mid":
      await writer.hang();
      return true;
    default:
      return false;
  }
}

function finish(completion: Completion, writer: BodyWriter): void {
  const { engine, request, run, id, created, fault } = completion;
  let end = "";
  const usage = completion.usage(run.promptTokens, run.completionTokens);
  if (request.includeUsage && usage !== undefined) {
    end +=
      `data: {"id":${JSON.stringify(id)},"object":"text_completion","created":${created},` +
      `"model":${JSON.stringify(engine.entry.id)},"choices":[],"usage":{${usage}},` +
      `"system_fingerprint":"${engine.fingerprint}"}\n\n`;
  }
  if (fault?.fault !== "no-done") end += DONE;
  const written = end === "" ? undefined : writer.write(end);
  if (written === undefined) writer.end();
  else void written.then(() => writer.end());
}

/** What a choice has sent so far. */
interface Progress {
  characters: number;
  tokens: number;
}

class StreamChunks {
  readonly #completion: Completion;
  readonly #head: string;
  readonly #progress: Progress[];

  constructor(completion: Completion) {
    const { engine, id, created } = completion;
    this.#completion = completion;
    this.#head =
      `data: {"id":${JSON.stringify(id)},"object":"text_completion","created":${created},` +
      `"model":${JSON.stringify(engine.entry.id)},"choices":[{"index":`;
    this.#progress = completion.run.sequences.map(() => ({ characters: 0, tokens: 0 }));
  }

  /** The event for what a sequence wrote since its last event. */
  next(sequence: Sequence): string {
    const { request, engine } = this.#completion;
    const progress = this.#progress[sequence.index] as Progress;
    const first = progress.tokens === 0;
    const delta = sequence.takeDelta();
    const text =
      (first ? this.#completion.echoText(sequence) : "") + (this.#completion.onlyEcho ? "" : delta);
    const logprobs = this.#logprobs(sequence, progress);
    const ids = sequence.output.slice(progress.tokens);
    progress.characters += characterCount(text);
    progress.tokens = sequence.output.length;
    const promptIds =
      first && (request.returnTokenIds || request.echo) ? JSON.stringify(sequence.prompt) : "null";
    let event =
      `${this.#head}${sequence.index},"text":${JSON.stringify(text)},"logprobs":${logprobs},` +
      `"finish_reason":${JSON.stringify(sequence.finishReason)},` +
      `"stop_reason":${JSON.stringify(sequence.stopReason)},"prompt_token_ids":${promptIds},` +
      `"token_ids":${request.returnTokenIds ? JSON.stringify(ids) : "null"}}]`;
    const usage = this.#completion.usage(sequence.prompt.length, progress.tokens);
    if (request.continuousUsage && usage !== undefined) event += `,"usage":{${usage}}`;
    if (sequence.finishReason !== null && !request.includeUsage) {
      event += `,"system_fingerprint":"${engine.fingerprint}"`;
    }
    return `${event}}\n\n`;
  }

  #logprobs(sequence: Sequence, progress: Progress): string {
    const { request, engine, onlyEcho } = this.#completion;
    if (request.logprobs === undefined) return "null";
    const echoed =
      request.echo && progress.tokens === 0
        ? promptRows(engine, sequence.prompt, promptLooked(request) ?? request.logprobs)
        : [];
    const { output, distributions } = sequence;
    const written = onlyEcho
      ? []
      : outputRows(output, distributions, progress.tokens, request.logprobs);
    const options = this.#completion.logprobOptions(progress.characters);
    return Array.from(logprobsParts(engine, [...echoed, ...written], options)).join("");
  }
}
