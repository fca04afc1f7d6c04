// A Job's results as one file: the parts of its finished slices, of all items or of those that ended
// one way.
import { jobPartKey } from "../../contract/job-store.ts";
import type { JobRecord, PartPlace } from "../../contract/jobs.ts";
import type { Piece } from "../../core/byte-range.ts";
import { jobOf, type ObjectBindings } from "../../durable-objects/objects.ts";
import type { StoredFile } from "./download.ts";

export type ResultLines = "all" | "succeeded" | "failed";

/** Null when the Job was removed meanwhile. */
export async function resultsFile(
  env: ObjectBindings,
  record: Pick<JobRecord, "id" | "personId">,
  lines: ResultLines,
): Promise<StoredFile | null> {
  const found = await jobOf(env, record.id).parts();
  if (found === null) return null;
  const suffix = lines === "all" ? "results" : lines;
  return {
    name: `${record.id}-${suffix}.jsonl`,
    id: lines === "all" ? record.id : `${record.id}-${lines}`,
    pieces: found.parts.map((part) => pieceOf(record, part, lines)),
    complete: found.complete,
  };
}

/** A part whose items all ended one way is one object; else each way has one of its own too. */
function pieceOf(
  { id, personId }: Pick<JobRecord, "id" | "personId">,
  part: PartPlace,
  lines: ResultLines,
): Piece<string> {
  const { bytes, succeededBytes } = part;
  const wanted = { all: bytes, succeeded: succeededBytes, failed: bytes - succeededBytes }[lines];
  return { of: jobPartKey(personId, id, part, wanted === bytes ? "all" : lines), bytes: wanted };
}
