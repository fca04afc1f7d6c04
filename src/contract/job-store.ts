// Where a person's Jobs and files lie in the store.
import type { ClaimName } from "./jobs.ts";

export function jobFolder(personId: string, jobId: string): string {
  return `people/${personId}/jobs/${jobId}/`;
}

/**
 * `submission` is random: two submissions under one id at the same time must not write over each
 * other's input, of which only the first is the Job's.
 */
export function jobInputKey(personId: string, jobId: string, submission: string): string {
  return `${jobFolder(personId, jobId)}input-${submission}.jsonl`;
}

/** `succeeded` and `failed` exist only where a part has lines of both, or only failed ones. */
export function jobPartKey(
  personId: string,
  jobId: string,
  { from, attempt }: ClaimName,
  lines: "all" | "succeeded" | "failed",
): string {
  return `${jobFolder(personId, jobId)}results/${from}-${attempt}-${lines}.jsonl`;
}

export function fileKey(personId: string, fileId: string): string {
  return `people/${personId}/files/${fileId}`;
}
