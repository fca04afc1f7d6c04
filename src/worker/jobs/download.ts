// A file of the store as an answer: whole or by range, streamed from the pieces it lies in.
import type { Context } from "hono";
import { cutPieces, type Piece, type PieceRange, readRange } from "../../core/byte-range.ts";
import { docsUrl } from "../docs/docs.ts";
import type { AppEnv } from "../environment.ts";
import { errorResponse } from "../refuse.ts";

export interface StoredFile {
  /** What a browser saves it as. */
  name: string;
  /** Tells it from every other one; what has been read once never changes. */
  id: string;
  /** In their order, by their keys in the store. */
  pieces: readonly Piece<string>[];
  /** False while more of it may come. */
  complete: boolean;
}

/** So many pieces are asked for before they are needed: a piece is small beside the way to it. */
const ASKED_AHEAD = 3;

/** Obeys `Range` and `If-Range`. */
export function answerFile(c: Context<AppEnv>, file: StoredFile): Response {
  const { pieces, complete } = file;
  const size = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const etag = `"${file.id}"`;
  const ifRange = c.req.header("if-range") ?? null;
  const header = ifRange === null || ifRange === etag ? (c.req.header("range") ?? null) : null;
  const range = readRange(header, size);
  if (range.kind === "unsatisfiable") return unsatisfiable(c, size, complete);
  const { first, last } = range.kind === "part" ? range : { first: 0, last: size - 1 };
  const headers = {
    "content-type": "application/x-ndjson; charset=utf-8",
    "content-disposition": `attachment; filename="${file.name}"`,
    "content-length": String(last + 1 - first),
    "accept-ranges": "bytes",
    "x-job-complete": String(complete),
    etag,
    ...(range.kind === "part" && {
      "content-range": `bytes ${first}-${last}/${complete ? size : "*"}`,
    }),
  };
  const status = range.kind === "part" ? 206 : 200;
  const isAnswered = c.req.raw.method !== "HEAD" && last >= first;
  const body = isAnswered ? stream(c, cutPieces(pieces, { first, last }), last + 1 - first) : null;
  return new Response(body, { status, headers });
}

function unsatisfiable(c: Context<AppEnv>, size: number, complete: boolean): Response {
  const more = complete ? "" : " More may come: the Job has not ended.";
  const message = `There are ${size} bytes, and the range begins behind them.${more}`;
  const { requestId } = c.get("frame");
  const error = { code: "range_not_satisfiable", message } as const;
  const response = errorResponse(error, requestId, `${docsUrl(c)}/reference/errors`);
  response.headers.set("content-range", `bytes */${size}`);
  response.headers.set("x-job-complete", String(complete));
  return response;
}

function stream(
  c: Context<AppEnv>,
  ranges: readonly PieceRange<string>[],
  length: number,
): ReadableStream {
  const { readable, writable } = new FixedLengthStream(length);
  const { requestId } = c.get("frame");
  const { signal } = c.req.raw;
  const poured = pour(c.env.JOB_STORE, ranges, writable).catch(async (failure: unknown) => {
    // The connection breaks: a clean end would pass for the whole.
    await writable.abort(failure).catch(() => undefined);
    if (signal.aborted) return;
    console.error({ event: "download_broke_off", requestId, failure: String(failure) });
  });
  c.executionCtx.waitUntil(poured);
  return readable;
}

async function pour(
  store: R2Bucket,
  ranges: readonly PieceRange<string>[],
  writable: WritableStream,
): Promise<void> {
  const asked: Promise<R2ObjectBody | null>[] = [];
  const ask = ({ of, offset, length }: PieceRange<string>) => {
    const object = store.get(of, { range: { offset, length } });
    // Seen when its turn comes, which may be never.
    object.catch(() => undefined);
    asked.push(object);
  };
  try {
    for (const range of ranges.slice(0, ASKED_AHEAD)) ask(range);
    for (const at of ranges.keys()) {
      const object = await asked.shift();
      const next = ranges[at + ASKED_AHEAD];
      if (next !== undefined) ask(next);
      if (object === undefined || object === null) throw new Error("a piece is missing");
      await object.body.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  } finally {
    for (const rest of asked)
      void rest.then((object) => object?.body.cancel()).catch(() => undefined);
  }
}
