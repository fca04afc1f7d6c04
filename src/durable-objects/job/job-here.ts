// What a Job object has in memory, shared by what it does and what it tells others.
import type { JobBook } from "../../core/job-state.ts";
import type { ObjectBindings } from "../objects.ts";
import type { JobStorage, Told } from "./job-storage.ts";

export interface JobHere {
  /** Null before the Job was made, and once it was removed. */
  book: JobBook | null;
  told: Told;
  readonly storage: JobStorage;
  readonly env: ObjectBindings;
}
