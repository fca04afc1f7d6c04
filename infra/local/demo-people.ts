// An Admin and two Members to begin with, made through the admin API as any operator would.
import type { LocalSecrets } from "./local-secrets.ts";

const admin = { email: "admin@example.org", role: "admin", is: "an Admin" } as const;
const member = { email: "researcher@example.org", role: "member", is: "a Member" } as const;
const second = {
  email: "researcher2@example.org",
  role: "member",
  is: "a Member without tokens",
} as const;

/** Who can sign in, as the local provider offers them. */
export const demoPeople = [admin, member, second] as const;

interface DemoPerson {
  id: string;
  /** ISO 8601; null once they have signed in. */
  invited_until: string | null;
}

/** Ids make each call repeatable: a start that was broken off is finished by the next. */
export async function ensureDemoPeople(
  api: string,
  secrets: LocalSecrets,
  tokens: number,
): Promise<{ memberKey: string; adminKey: string }> {
  const call = caller(`${api}/v1/admin`, secrets.operatorKey);
  const ids = new Map<string, string>();
  for (const { email, role } of demoPeople) ids.set(email, await ensurePerson(call, email, role));
  if (secrets.memberKey !== null && secrets.adminKey !== null) {
    return { memberKey: secrets.memberKey, adminKey: secrets.adminKey };
  }
  const grant = { id: "first", tokens, note: "to begin with" };
  const [memberPath, adminPath] = [member, admin].map(({ email }) => `/people/${ids.get(email)}`);
  await call("POST", `${memberPath}/grants`, grant);
  await call("POST", `${adminPath}/grants`, grant);
  const memberKey = await call("POST", `${memberPath}/keys`, { name: "first key" });
  const adminKey = await call("POST", `${adminPath}/keys`, { name: "admin key", scope: "admin" });
  return { memberKey: String(memberKey.key), adminKey: String(adminKey.key) };
}

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Whoever is there stays as an Admin has changed them; only an invite that ran out is renewed. */
async function ensurePerson(call: Call, email: string, role: string): Promise<string> {
  const found = await call("GET", `/people?email=${encodeURIComponent(email)}`);
  const [person] = found.data as DemoPerson[];
  if (person === undefined) return String((await call("POST", "/people", { email, role })).id);
  const { id, invited_until: until } = person;
  if (until !== null && Date.parse(until) < Date.now())
    await call("POST", `/people/${id}/invite`, {});
  return id;
}

function caller(base: string, key: string): Call {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
}
