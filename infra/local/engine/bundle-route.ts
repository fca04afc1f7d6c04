// POST /v1/completions/bundle: several completions in one request, each as if it came alone. What
// goes over the wire is specified in infra/bundle/README.md.
import type { IncomingHttpHeaders } from "node:http";
import { type Answer, type Asked, sendError, sendUnauthorized } from "./answer.ts";
import { BundleAnswer } from "./bundle-answer.ts";
import { completionsRoute } from "./completions-route.ts";
import type { Engine } from "./engine.ts";
import { RequestError } from "./errors.ts";
import type { BundleFault } from "./faults.ts";
import { LineAnswer } from "./line-answer.ts";

export const BUNDLE_PATH = "/v1/completions/bundle";

/** All lines run at once: more would crowd out who asks alone. */
const MAX_LINES = 64;
/** The whole is in memory before its first line runs. */
const MAX_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;

export interface Bundle {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the engine's key came with it. */
  readonly authorized: boolean;
  readonly fault: BundleFault | undefined;
}

export function bundleRoute(
  engine: Engine,
  { headers, body, authorized, fault }: Bundle,
  answer: Answer & { flushHeaders(): void },
): void {
  if (body.length > MAX_BYTES) {
    const message = `A bundle has at most ${MAX_BYTES} bytes.`;
    throw new RequestError(413, "Content Too Large", message);
  }
  const lines = linesOf(body);
  if (lines.length < 1 || lines.length > MAX_LINES) {
    throw new RequestError(400, "Bad Request", `A bundle has 1 to ${MAX_LINES} lines.`);
  }
  engine.metrics.bundles++;
  const asked = askedByLines(headers);
  const bundle = new BundleAnswer(answer, lines.length, fault);
  const running = lines.map((line, index) => {
    const own = new LineAnswer(index, (frame) => bundle.add(frame));
    if (!authorized) sendUnauthorized(own);
    else completionsRoute(engine, asked, line, own).catch((error) => sendError(own, error));
    return own;
  });
  answer.on("close", () => {
    for (const line of running) line.leave();
  });
}

/** The lines' bytes; those of nothing but white space are none. */
function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline < 0 ? body.length : newline;
    const line = body.subarray(start, end);
    if (line.some((byte) => byte > SPACE)) lines.push(line);
    start = end + 1;
  }
  return lines;
}

/** The whole's headers, but for what says something about its own body or names it. */
function askedByLines(headers: IncomingHttpHeaders): Asked {
  const {
    "content-length": _length,
    "transfer-encoding": _encoding,
    "x-request-id": _id,
    ...passed
  } = headers;
  return { headers: { ...passed, "content-type": "application/json" } };
}
