import type { Context } from "hono";
import type { AuditEntry } from "../../contract/directory.ts";
import { withoutKeys } from "../../contract/key-format.ts";
import { directoryOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";

export type Deed = Pick<AuditEntry, "who" | "what" | "whom" | "detail"> & {
  /** What makes a repeat of the same deed one row; drawn when absent. */
  repeatId?: string | undefined;
};

/** Writes the row after the deed. If it fails the caller is told so, and may repeat the whole. */
export async function record(c: Context<AppEnv>, deed: Deed): Promise<void> {
  const { repeatId = crypto.randomUUID(), ...rest } = deed;
  const id = rowId(deed.what, repeatId);
  await directoryOf(c.env).record({ id, at: c.get("frame").startedAt, ...rest });
}

/**
 * Whether the deed has its row already. A change must not be done again by a late repeat: it would
 * undo what was changed after it, with no row of its own. Throws `Refused` 409 when the row's detail
 * is another, since that deed would have no row either.
 */
export async function recordedBefore(c: Context<AppEnv>, deed: Deed): Promise<boolean> {
  if (deed.repeatId === undefined) return false;
  const before = await directoryOf(c.env).recorded(rowId(deed.what, deed.repeatId));
  if (before === null) return false;
  if (JSON.stringify(before) === withoutKeys(JSON.stringify(deed.detail))) return true;
  const message = "A change with this id has other content.";
  throw new Refused({ code: "idempotency_conflict", message });
}

function rowId(what: string, repeatId: string): string {
  return `${what} ${repeatId}`;
}
