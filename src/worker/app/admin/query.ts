// Addresses of pages with what they filter by.
import type { Context } from "hono";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import type { AppEnv } from "../../environment.ts";

/** A parameter of the query; null where it is absent, empty or longer than anything we gave out. */
export function asked(c: Context<AppEnv>, name: string): string | null {
  const value = c.req.query(name)?.trim() ?? "";
  return value === "" || value.length > NAME_MAX_CHARACTERS ? null : value;
}

export function withQuery(path: string, query: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
