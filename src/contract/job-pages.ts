// Pages of Jobs, batches and files, as OpenAI's lists have them.
import { z } from "zod";
import { PAGE_MAX_ROWS } from "./limits.ts";

/** OpenAI's own. */
const PAGE_ROWS = 20;

export const JobsPageQuery = z.strictObject({
  /** The last id of the page before. */
  after: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX_ROWS).default(PAGE_ROWS),
});
