// The one Directory that each of these files starts with, emptied between tests.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Role } from "../../src/contract/account.ts";
import type { DirectoryRpc, SignInRequest } from "../../src/contract/directory.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";

export const stub = env.DIRECTORY.getByName("directory");
export const directory: DirectoryRpc = directoryOf(env);

const tables = [
  ...["people", "subjects", "sessions", "token_requests", "audit", "roll_ups", "grants_due"],
];

export async function empty(): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) => {
    for (const table of tables) storage.sql.exec(`DELETE FROM ${table}`);
  });
}

export function person(name: string, role: Role = "member") {
  return { id: `id of ${name}`, email: `${name}@example.org`, role };
}

/** A first sign-in of this person; what differs is given. */
export function signingIn(name: string, change: Partial<SignInRequest> = {}): SignInRequest {
  return {
    ...{ issuer: "https://provider.example.org", sub: `sub of ${name}` },
    ...{ email: `${name}@example.org`, emailVerified: true, firstAdmin: null },
    session: { hash: `hash of ${name}`, agent: "Firefox on Linux" },
    ...change,
  };
}

export function session(hash: string) {
  return { session: { hash, agent: "Firefox on Linux" } };
}

/** All rows over all pages, and how many pages they were. */
export async function allPages<T>(
  read: (after: string | null) => Promise<{ rows: T[]; next: string | null }>,
): Promise<{ rows: T[]; pages: number }> {
  const rows: T[] = [];
  let after: string | null = null;
  let pages = 0;
  do {
    const page: { rows: T[]; next: string | null } = await read(after);
    rows.push(...page.rows);
    after = page.next;
    pages += 1;
  } while (after !== null);
  return { rows, pages };
}
