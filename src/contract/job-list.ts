// What the Worker and the object with a person's list of Jobs and files say to each other. Times are
// milliseconds since 1970 (UTC).
import type { Page } from "./directory.ts";
import type { JobRecord } from "./jobs.ts";
import type { SavedPromptsRpc } from "./saved-prompts.ts";

/** A file that was uploaded for `batches`. */
export interface FileRow {
  id: string;
  name: string;
  bytes: number;
  createdAt: number;
  removedAt: number;
}

/** One object a person: the list of their Jobs and files. The Jobs themselves are the truth. */
export interface JobListRpc extends SavedPromptsRpc {
  put(record: JobRecord): Promise<void>;
  drop(jobId: string): Promise<void>;
  /**
   * Newest first. `after` is the id of a row, as OpenAI's lists have it, and so is the page's `next`.
   * `batches` leaves out what was not submitted as one.
   */
  jobs(page: { after: string | null; limit: number; batches?: boolean }): Promise<Page<JobRecord>>;
  /** How many of the Jobs have not ended. */
  unended(): Promise<number>;
  /** Each of the person's Jobs that has not ended hears of it. */
  tokensChanged(): Promise<void>;
  cancelAll(): Promise<void>;

  putFile(file: FileRow): Promise<void>;
  file(id: string): Promise<FileRow | null>;
  files(page: { after: string | null; limit: number }): Promise<Page<FileRow>>;
  /** Removes the bytes too; false when there is none. */
  removeFile(id: string): Promise<boolean>;
}
