// A `multipart/form-data` body with one file in it, which is handed out as it comes.
import { decodeField, type MultipartError, make, type PartInfo } from "multipasta";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { readBytes } from "../../jobs/job-lines.ts";
import { Refused } from "../../refuse.ts";

/** The file, its purpose, an expiry's two fields, and room for a mistake that is to be named. */
const PARTS_MOST = 8;
const FIELD_MAX_BYTES = 1_024;

interface FileSink {
  /** To be copied: it is written over later. */
  write(bytes: Uint8Array): void;
  /** Called between two reads; the next one waits for it. */
  drain(): Promise<void>;
}

/** Throws `Refused` 400, 413 or 415. Resolves with the file's name. */
export async function readUpload(request: Request, sink: FileSink): Promise<string> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) throw unsupportedType;
  const form = new UploadForm(type, sink);
  await readBytes(request.body ?? new Blob().stream(), async (bytes) => {
    // The parser keeps views of what it is given, and these bytes are read over.
    form.take(bytes.slice());
    await sink.drain();
  });
  return form.finish();
}

class UploadForm {
  readonly #parser;
  readonly #fields = new Map<string, string>();
  #fileName: string | null = null;
  #problem: string | null = null;
  #done = false;

  constructor(type: string, sink: FileSink) {
    this.#parser = make({
      headers: { "content-type": type },
      isFile: ({ name, filename }) => name === "file" || filename !== undefined,
      maxParts: PARTS_MOST,
      maxFieldSize: FIELD_MAX_BYTES,
      onField: (info, value) => this.#fields.set(info.name, decodeField(info, value)),
      onFile: (info) => this.#startFile(info, sink),
      onError: (error) => {
        if (!this.#done) this.#problem ??= sentence(error);
      },
      onDone: () => {
        this.#done = true;
      },
    });
  }

  take(bytes: Uint8Array): void {
    try {
      this.#parser.write(bytes);
    } catch {
      // A file's name with a wrong escape; the parser throws for nothing else.
      this.#problem ??= "The file's name is no valid one.";
    }
    if (this.#problem !== null) throw refused(this.#problem);
  }

  finish(): string {
    if (!this.#done) throw refused("The body broke off before its last boundary.");
    const purpose = this.#fields.get("purpose");
    for (const name of this.#fields.keys()) {
      if (name === "purpose") continue;
      const isExpiry = name.startsWith("expires_after");
      const why = isExpiry ? "files are kept for 30 days" : "it is no field of this request";
      throw refused(`A form's field is not accepted: ${why}.`, isExpiry ? "expires_after" : null);
    }
    if (this.#fileName === null) throw refused("`file` is required: a part with a name.", "file");
    if (purpose !== "batch") throw refused('`purpose` must be "batch".', "purpose");
    return this.#fileName;
  }

  #startFile(
    { name, filename = "" }: PartInfo,
    sink: FileSink,
  ): (bytes: Uint8Array | null) => void {
    if (name !== "file" || this.#fileName !== null) {
      this.#problem ??= "One file, in the field `file`, is all that is taken.";
    } else if (filename === "" || filename.length > NAME_MAX_CHARACTERS) {
      this.#problem ??= `The file needs a name of 1 to ${NAME_MAX_CHARACTERS} characters.`;
    }
    this.#fileName = filename;
    return (bytes) => {
      if (bytes !== null && this.#problem === null) sink.write(bytes);
    };
  }
}

function sentence(error: MultipartError): string {
  switch (error._tag) {
    case "InvalidBoundary":
      return "The content-type has no boundary; let your HTTP client set that header.";
    case "ReachedLimit":
      return "The form has more fields, or longer ones, than `file` and `purpose`.";
    case "BadHeaders":
    case "InvalidDisposition":
    case "EndNotReached":
      return "The body is no valid multipart/form-data, or broke off.";
  }
}

function refused(message: string, param: string | null = null): Refused {
  return new Refused({ code: "invalid_request", message, param });
}

const unsupportedType = new Refused({
  code: "unsupported_media_type",
  message: "A file is sent as multipart/form-data, with the fields file and purpose.",
});
