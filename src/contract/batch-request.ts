// What OpenAI's `batches` are made of. https://platform.openai.com/docs/api-reference/batch
import { z } from "zod";
import {
  COMPLETION_WINDOW_MAX_CHARACTERS,
  JOB_KEPT_DAYS,
  METADATA_KEY_MAX_CHARACTERS,
  METADATA_PAIRS_MOST,
  METADATA_VALUE_MAX_CHARACTERS,
} from "./job-limits.ts";
import { JOB_ENDPOINT } from "./job-request.ts";

const Metadata = z
  .record(
    z.string().max(METADATA_KEY_MAX_CHARACTERS),
    z.string().max(METADATA_VALUE_MAX_CHARACTERS),
  )
  .refine((pairs) => Object.keys(pairs).length <= METADATA_PAIRS_MOST, {
    message: `has at most ${METADATA_PAIRS_MOST} pairs`,
  });

export const BatchBody = z.strictObject({
  input_file_id: z.string(),
  endpoint: z.literal(JOB_ENDPOINT, {
    message: `must be "${JOB_ENDPOINT}": base models continue text, and nothing else is served`,
  }),
  /** Kept and shown; a Job runs until it is done, however long that takes. */
  completion_window: z.string().min(1).max(COMPLETION_WINDOW_MAX_CHARACTERS),
  metadata: Metadata.nullish(),
  output_expires_after: z
    .null({ message: `is not offered: results are kept for ${JOB_KEPT_DAYS} days` })
    .optional(),
});
