import type { GrantRequest } from "../contract/account.ts";
import type { TokenRequest } from "../contract/directory.ts";

/**
 * What an approval gives; null of a request that is not approved. Its id comes from the request's, so
 * that it is given once, however often and by whomever.
 */
export function approvedGrant({ id, state, granted, note }: TokenRequest): GrantRequest | null {
  if (state !== "approved" || granted === null) return null;
  return { id: `grant_${id}`, tokens: granted, note, expiresAt: null };
}
