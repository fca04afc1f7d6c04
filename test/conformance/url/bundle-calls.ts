// How the cases of bundles ask: several Completions in one request.
import type { RawAnswer } from "../answers.ts";
import { type Frame, framesOf } from "../bundle-frames.ts";
import type { Check } from "../case.ts";
import { membersOf } from "../json-members.ts";
import type { Body, CallOptions, Target } from "../target.ts";

const NO_ROUTE =
  "there is no /v1/completions/bundle: start vLLM with `--middleware continuo_bundle.Bundles` as " +
  "infra/bundle/README.md says, or leave these cases out by --no-bundle";

/** A line as it is sent; a text may be no JSON. */
export type Line = Body | string;

export function textOf(target: Target, line: Line): string {
  return typeof line === "string" ? line : JSON.stringify({ model: target.model, ...line });
}

/** Undecoded. Without the route no case can say anything. */
export async function sendBundle(
  target: Target,
  text: string,
  call: CallOptions = {},
): Promise<RawAnswer> {
  const headers = { "content-type": "application/x-ndjson", ...call.headers };
  const answer = await target.raw("/completions/bundle", text, { ...call, headers });
  if (answer.status === 404) throw new Error(NO_ROUTE);
  return answer;
}

/** In the order in which the lines ended. */
export function readBundle({ status, headers, bytes }: RawAnswer): Frame[] {
  if (status !== 200) throw new Error(`status ${status}: ${bytes}`);
  const type = headers.get("content-type");
  if (type !== "application/vnd.continuo.bundle") throw new Error(`a bundle of type ${type}`);
  return framesOf(bytes);
}

/** In the order of the lines; fails unless each has one frame. */
export async function askBundle(
  target: Target,
  lines: readonly Line[],
  call?: CallOptions,
): Promise<Frame[]> {
  const text = lines.map((line) => `${textOf(target, line)}\n`).join("");
  const frames = readBundle(await sendBundle(target, text, call));
  const ordered = frames.toSorted((a, b) => a.line - b.line);
  const numbers = ordered.map(({ line }) => line);
  if (numbers.length !== lines.length || numbers.some((line, index) => line !== index)) {
    throw new Error(`frames of the lines ${numbers} where there are ${lines.length} lines`);
  }
  return ordered;
}

/** Bytes but for the second in which they were written. */
export function sameAsAlone(check: Check, frame: Frame, alone: RawAnswer, at: string): void {
  check.same(frame.status, alone.status, `${at}: status`);
  if (frame.status !== 200 || alone.status !== 200) {
    check.sameBytes(frame.bytes, alone.bytes, `${at}: refusal`);
    return;
  }
  const [ours, theirs] = [membersOf(frame.bytes), membersOf(alone.bytes)];
  check.same([...ours.keys()], [...theirs.keys()], `${at}: members`);
  for (const [name, bytes] of theirs) {
    if (name !== "created") check.sameBytes(ours.get(name), bytes, `${at}: ${name}`);
  }
}
