// A Job as OpenAI's SDK knows a batch.

import { JOB_ENDPOINT } from "../../../contract/job-request.ts";
import type { BatchOrigin, JobRecord } from "../../../contract/jobs.ts";
import { batchIdOf, resultsFileId } from "../jobs/job-id.ts";
import { seconds } from "../jobs/present-job.ts";

type BatchStatus =
  | "validating"
  | "in_progress"
  | "finalizing"
  | "completed"
  | "failed"
  | "cancelling"
  | "cancelled";

export function presentBatch(record: JobRecord, batch: BatchOrigin) {
  const { id, model, state, counts, endedAt, usage } = record;
  const status = statusOf(record);
  const endedAs = (ending: BatchStatus) => (status === ending ? seconds(endedAt) : null);
  const fileOf = (lines: "succeeded" | "failed") =>
    endedAt !== null && counts[lines] > 0 ? resultsFileId(id, lines) : null;
  return {
    ...{ id: batchIdOf(id), object: "batch", endpoint: JOB_ENDPOINT, model, status },
    input_file_id: batch.inputFileId,
    completion_window: batch.completionWindow,
    metadata: batch.metadata,
    output_file_id: fileOf("succeeded"),
    error_file_id: fileOf("failed"),
    errors: state === "failed" ? failureOf(record) : null,
    request_counts: { total: counts.total, completed: counts.succeeded, failed: counts.failed },
    usage: {
      input_tokens: usage.promptTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.completionTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.promptTokens + usage.completionTokens,
    },
    created_at: seconds(record.createdAt),
    in_progress_at: seconds(record.startedAt),
    finalizing_at: null,
    completed_at: endedAs("completed"),
    failed_at: endedAs("failed"),
    cancelling_at: seconds(record.cancelledAt),
    cancelled_at: endedAs("cancelled"),
    // It runs until it is done: the window is kept, and ends nothing.
    expires_at: null,
    expired_at: null,
  };
}

/** A paused Job goes on by itself, so to a script that polls it is in progress. */
function statusOf({ state, cancelledAt, endedAt, counts }: JobRecord): BatchStatus {
  if (endedAt === null && cancelledAt !== null) return "cancelling";
  switch (state) {
    case "queued":
      return "validating";
    case "running":
    case "paused":
      return counts.succeeded + counts.failed === counts.total ? "finalizing" : "in_progress";
    case "completed":
    case "failed":
    case "cancelled":
      return state;
  }
}

function failureOf({ failure }: JobRecord) {
  const data = [{ code: "inference_failed", message: failure ?? "", line: null, param: null }];
  return { object: "list", data };
}
