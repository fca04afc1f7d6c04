// Pages of Jobs, batches and files, as OpenAI's lists have them.
import { z } from "zod";
import { NAME_MAX_CHARACTERS, PAGE_MAX_ROWS } from "./limits.ts";

/** OpenAI's own. */
const PAGE_ROWS = 20;

export const JobsPageQuery = z.strictObject({
  /** The last id of the page before. */
  after: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX_ROWS).default(PAGE_ROWS),
});

export const FilesPageQuery = JobsPageQuery.extend({
  purpose: z.string().max(NAME_MAX_CHARACTERS).optional(),
  order: z.literal("desc", { message: 'must be "desc": newest first' }).optional(),
});
