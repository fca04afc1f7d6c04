// A Job's result lines, as OpenAI's batch files have them. An answer's bytes are put into its line as
// they are: what a Completion gives is never printed anew.
import type { PublicError } from "../../contract/errors.ts";
import { joinBytes } from "../../core/answer-bytes.ts";

export interface LineName {
  requestId: string;
  customId: string;
}

const utf8 = new TextEncoder();

const LINE_END = utf8.encode('},"error":null}\n');

/** What stands before the answer's bytes. `seed` is the one that it was sampled with. */
export function answerLineHead({ requestId, customId }: LineName, seed: number): Uint8Array {
  const id = JSON.stringify(requestId);
  return utf8.encode(
    `{"id":${id},"custom_id":${JSON.stringify(customId)},` +
      `"response":{"status_code":200,"request_id":${id},"seed":${seed},"body":`,
  );
}

/** What stands behind them. */
export function answerLineEnd(): Uint8Array {
  return LINE_END;
}

export function answerLine(
  name: LineName,
  seed: number,
  answer: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return joinBytes([answerLineHead(name, seed), answer, LINE_END]);
}

/** `body` is the error object that a live Completion would have got. */
export function failureLine(
  { requestId, customId }: LineName,
  status: number,
  error: Pick<PublicError, "code" | "message">,
  body: string,
): Uint8Array {
  const id = JSON.stringify(requestId);
  const { code, message } = error;
  return utf8.encode(
    `{"id":${id},"custom_id":${JSON.stringify(customId)},` +
      `"response":{"status_code":${status},"request_id":${id},"body":${body}},` +
      `"error":${JSON.stringify({ code, message })}}\n`,
  );
}
