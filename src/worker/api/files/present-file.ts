// Files as OpenAI's SDK knows them.
import type { FileRow } from "../../../contract/job-list.ts";
import { seconds } from "../jobs/present-job.ts";

interface ShownFile {
  id: string;
  name: string;
  bytes: number;
  createdAt: number;
  removedAt: number | null;
}

export function presentUpload(row: FileRow) {
  return presentFile(row, "batch");
}

export function presentFile(file: ShownFile, purpose: "batch" | "batch_output") {
  const { id, bytes, name: filename } = file;
  return {
    ...{ id, object: "file", bytes, filename, purpose, status: "processed" },
    created_at: seconds(file.createdAt),
    expires_at: seconds(file.removedAt),
  };
}
