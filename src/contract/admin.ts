// The bodies of the admin API (contract section 7). Times are ISO 8601 with a zone.
import { z } from "zod";
import {
  GRANT_MAX_TOKENS,
  NAME_MAX_CHARACTERS,
  NOTE_MAX_CHARACTERS,
  PAGE_MAX_ROWS,
  SPEND_LIMIT_MAX_USD,
} from "./limits.ts";

/** Chosen by the caller, so that a call can be repeated; drawn when absent. */
const repeatId = z
  .string()
  .regex(/^[0-9a-z]{1,64}$/, "1 to 64 of the characters 0-9 and a-z")
  .optional();

const role = z.enum(["member", "admin"]);
const time = z.iso.datetime({ offset: true });
const name = z.string().trim().min(1).max(NAME_MAX_CHARACTERS);
const tokens = z.int().min(1).max(GRANT_MAX_TOKENS);
const limit = z.int().min(1).max(1_000_000);

export const AddPersonBody = z.strictObject({
  email: z.email().max(NAME_MAX_CHARACTERS).toLowerCase(),
  role: role.default("member"),
});

export const ChangePersonBody = z
  .strictObject({
    id: repeatId,
    role,
    disabled: z.boolean(),
    limits: z.strictObject({ running: limit, waiting: limit, starts_per_minute: limit }).partial(),
  })
  .partial();

export const GrantBody = z.strictObject({
  id: repeatId,
  tokens,
  note: z.string().max(NOTE_MAX_CHARACTERS).default(""),
  expires_at: time.nullable().default(null),
});

export const MintKeyBody = z.strictObject({
  id: repeatId,
  name,
  scope: z.enum(["completions", "admin"]).default("completions"),
  expires_at: time.nullable().default(null),
  monthly_token_limit: tokens.nullable().default(null),
});

export const ChangeKeyBody = z
  .strictObject({
    id: repeatId,
    name,
    expires_at: time.nullable(),
    monthly_token_limit: tokens.nullable(),
  })
  .partial();

export const RevokeKeyBody = z.strictObject({
  reason: z.string().trim().min(1).max(NOTE_MAX_CHARACTERS),
});

/** What a person asks for on the Usage page; the API has no route for it. */
export const AskForTokensBody = z.strictObject({
  id: repeatId,
  tokens,
  reason: z.string().trim().min(1).max(NOTE_MAX_CHARACTERS),
});

export const ApproveRequestBody = z.strictObject({
  tokens: tokens.optional(),
  note: z.string().trim().max(NOTE_MAX_CHARACTERS).default(""),
});

/** The note is what the person reads instead of an answer. */
export const RejectRequestBody = z.strictObject({
  note: z.string().trim().min(1).max(NOTE_MAX_CHARACTERS),
});

export const RepeatBody = z.strictObject({ id: repeatId });

export const PassConformanceBody = z.strictObject({
  revision: z.string().regex(/^[0-9a-f]{40}$/, "a full commit sha, 40 hex digits"),
  /** How many cases passed; none may have failed. */
  cases: z.int().min(1),
});

export const ChangeSpendBody = z
  .strictObject({
    id: repeatId,
    limit_usd: z.number().min(0).max(SPEND_LIMIT_MAX_USD),
    paused: z.boolean(),
  })
  .partial();

const limitOfPage = z.coerce.number().int().min(1).max(PAGE_MAX_ROWS).default(PAGE_MAX_ROWS);
const shortText = z.string().max(NAME_MAX_CHARACTERS);

/** The `next` of a page before; 15 digits are an exact whole number. */
const afterRow = z
  .string()
  .regex(/^\d{1,15}$/, "is no `next` of a page")
  .nullable()
  .default(null);

export const PeoplePageQuery = z.strictObject({
  after: shortText.nullable().default(null),
  email: shortText.toLowerCase().nullable().default(null),
  limit: limitOfPage,
});

export const TokenRequestsPageQuery = z.strictObject({
  person: shortText.nullable().default(null),
  state: z.enum(["open", "approved", "rejected", "withdrawn"]).nullable().default(null),
  after: afterRow,
  limit: limitOfPage,
});

export const AuditPageQuery = z.strictObject({
  who: shortText.nullable().default(null),
  whom: shortText.nullable().default(null),
  what: shortText.nullable().default(null),
  after: afterRow,
  limit: limitOfPage,
});
