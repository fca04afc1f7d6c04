// What GitHub posts to /webhooks/github/secret-scanning when it has found our keys in public, and what
// it wants to hear. https://docs.github.com/en/code-security/secret-scanning (the partner programme)
import { z } from "zod";

/** GitHub sends the matches of one push together: each takes some 250 bytes, and its address may be long. */
export const FOUND_KEYS_MAX_BYTES = 1_000_000;

/** Each that is real takes five calls of objects, and a request has ten thousand, and GitHub's patience. */
export const FOUND_KEYS_MOST = 1_000;

/** Not strict: GitHub may come to say more than this. */
export const FoundKeys = z.array(
  z.object({
    token: z.string(),
    /** The name that the key's pattern was registered by. */
    type: z.string(),
    /** Where it was found; may be empty. */
    url: z.string().default(""),
    /** Such as `commit` or `issue_comment`. */
    source: z.string().default("unknown"),
  }),
);

export type FoundKey = z.infer<typeof FoundKeys>[number];

export interface Feedback {
  /** SHA-256 in hex. */
  token_hash: string;
  token_type: string;
  label: "true_positive" | "false_positive";
}

/** What GitHub publishes its signing keys as. */
export const PublicKeys = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })),
});
