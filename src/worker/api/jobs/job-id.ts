// Ids of Jobs, and what is named after them: a batch, and its two files, are views of a Job.
import { IDEMPOTENCY_KEY_MAX_CHARACTERS } from "../../../contract/job-limits.ts";
import { base32 } from "../../../core/base32.ts";
import { Refused } from "../../refuse.ts";

/** 130 bits: never the same by chance, and nobody finds another's by trying. */
const ID_CHARACTERS = 26;
const ID_BYTES = 17;

const OWN_PART = "[0-9a-hjkmnp-tv-z]{26}";
const JOB_ID = new RegExp(`^job_${OWN_PART}$`);
const BATCH_ID = new RegExp(`^batch_(${OWN_PART})$`);
const UPLOAD_ID = new RegExp(`^file-${OWN_PART}$`);
const RESULTS_FILE_ID = new RegExp(`^file-(${OWN_PART})-(output|errors)$`);

function ownPart(bytes: Uint8Array): string {
  return base32(bytes).slice(0, ID_CHARACTERS);
}

/**
 * A random id, or with the header `Idempotency-Key` the one that it gives this person each time, so that a
 * repeated submit is the same Job. Throws `Refused` 400.
 */
export async function newJobId(personId: string, idempotencyKey: string | null): Promise<string> {
  if (idempotencyKey === null) {
    return `job_${ownPart(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
  }
  if (idempotencyKey === "" || idempotencyKey.length > IDEMPOTENCY_KEY_MAX_CHARACTERS) {
    throw new Refused({
      code: "invalid_request",
      message: `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX_CHARACTERS} characters.`,
    });
  }
  const named = new TextEncoder().encode(`${personId}\n${idempotencyKey}`);
  return `job_${ownPart(new Uint8Array(await crypto.subtle.digest("SHA-256", named)))}`;
}

export function newFileId(): string {
  return `file-${ownPart(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}

export function isJobId(id: string): boolean {
  return JOB_ID.test(id);
}

export function isUploadId(id: string): boolean {
  return UPLOAD_ID.test(id);
}

export function batchIdOf(jobId: string): string {
  return jobId.replace("job_", "batch_");
}

/** Null for what is no batch's id. */
export function jobIdOfBatch(batchId: string): string | null {
  const own = BATCH_ID.exec(batchId)?.[1];
  return own === undefined ? null : `job_${own}`;
}

export function resultsFileId(jobId: string, lines: "succeeded" | "failed"): string {
  return `${jobId.replace("job_", "file-")}-${lines === "succeeded" ? "output" : "errors"}`;
}

/** Whose results a file is a view of; null for another's id. */
export function resultsOfFile(
  fileId: string,
): { jobId: string; lines: "succeeded" | "failed" } | null {
  const [, own, which] = RESULTS_FILE_ID.exec(fileId) ?? [];
  if (own === undefined) return null;
  return { jobId: `job_${own}`, lines: which === "output" ? "succeeded" : "failed" };
}
