import type { Context } from "hono";
import type { AuditEntry } from "../../../contract/directory.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";

type Deed = Pick<AuditEntry, "who" | "what" | "whom" | "detail"> & {
  /** What makes a repeat of the same deed one row; drawn when absent. */
  repeatId?: string | undefined;
};

/** Writes the row after the deed. If it fails the caller is told so, and may repeat the whole. */
export async function record(c: Context<AppEnv>, deed: Deed): Promise<void> {
  const { repeatId, ...rest } = deed;
  const id = `${deed.what} ${repeatId ?? crypto.randomUUID()}`;
  await directoryOf(c.env).record({ id, at: c.get("frame").startedAt, ...rest });
}
