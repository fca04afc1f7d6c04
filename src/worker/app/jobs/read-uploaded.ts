// A form with a file in it, which is read while it comes. Browsers send fields in the page's order, so
// what the file needs stands before it.
import { decodeField, make } from "multipasta";
import { JOB_INPUT_MAX_BYTES } from "../../../contract/job-limits.ts";
import { readBytes } from "../../jobs/job-lines.ts";
import { Refused } from "../../refuse.ts";
import type { FormValues } from "../read-form.ts";

/** The form has an id, a name and the file. */
const PARTS_MOST = 4;

/** A name of 200 characters has at most four bytes for each. */
const FIELD_MAX_BYTES = 1_024;

const FILE_FIELD = "file";

/**
 * Calls `use` with the fields and the file's bytes, and answers what it does. What is left of a file that
 * it refuses is read all the same: a browser that may not send to the end shows no answer. Throws
 * `Refused` 400, 413 or 415, and what `use` throws.
 */
export async function readUploaded<T>(
  request: Request,
  use: (values: FormValues, file: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  const form = new UploadedForm(request.headers.get("content-type") ?? "");
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  let used: Promise<T> | null = null;
  const give = async (bytes: Uint8Array) => {
    // The parser keeps views of what it is given, and these bytes are read over.
    form.take(bytes.slice());
    if (used === null && form.fileBegan) {
      used = use(form.values, readable);
      // Whoever does not want the file any more waits for no piece of it.
      used.catch((failure: unknown) => writer.abort(failure).catch(() => undefined));
    }
    for (const piece of form.takePieces()) await writer.write(piece).catch(() => undefined);
  };
  try {
    await readBytes(request.body ?? new Blob().stream(), give);
    if (form.isDone) await writer.close().catch(() => undefined);
    else await writer.abort("the form broke off").catch(() => undefined);
  } catch (failure) {
    await writer.abort(failure).catch(() => undefined);
    throw failure;
  }
  if (used === null) throw incomplete;
  return used;
}

class UploadedForm {
  readonly #parser;
  readonly #values: Record<string, string> = {};
  #pieces: Uint8Array[] = [];
  fileBegan = false;
  isDone = false;

  constructor(contentType: string) {
    if (!/^multipart\/form-data\s*;/i.test(contentType)) throw notSentByThePage;
    this.#parser = make({
      headers: { "content-type": contentType },
      isFile: ({ name }) => name === FILE_FIELD,
      maxParts: PARTS_MOST,
      maxFieldSize: FIELD_MAX_BYTES,
      onField: (info, value) => {
        this.#values[info.name] = decodeField(info, value);
      },
      onFile: () => {
        this.fileBegan = true;
        return (bytes) => {
          if (bytes !== null) this.#pieces.push(bytes);
        };
      },
      onError: () => {
        if (!this.isDone) throw incomplete;
      },
      onDone: () => {
        this.isDone = true;
      },
    });
  }

  get values(): FormValues {
    return this.#values;
  }

  take(bytes: Uint8Array): void {
    try {
      this.#parser.write(bytes);
    } catch {
      // Beside its own errors the parser throws for a file's name with a wrong escape.
      throw incomplete;
    }
  }

  takePieces(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

const incomplete = new Refused({
  code: "invalid_request",
  message: `The form is incomplete, or broke off. Open the page, choose a file of at most ${JOB_INPUT_MAX_BYTES / 1024 / 1024} MB, and send it from there.`,
});

const notSentByThePage = new Refused({
  code: "unsupported_media_type",
  message: "This address takes a form with a file. Open the page and send it from there.",
});
