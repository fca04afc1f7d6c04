import type { AdminApi } from "./admin-api.ts";

/** One page, newest first; its `next` is the next page's `--after`. */
export async function audit(
  api: AdminApi,
  filter: Readonly<Record<"who" | "whom" | "what" | "after" | "limit", string | undefined>>,
): Promise<unknown> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    query.set(name, name.startsWith("who") ? await api.personId(value) : value);
  }
  return await api.call("GET", `/audit?${query}`);
}
