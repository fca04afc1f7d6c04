// An Admin and a Member to begin with, made through the admin API as any operator would.
import type { LocalSecrets } from "./local-secrets.ts";

/** Ids make each call repeatable: a start that was broken off is finished by the next. */
export async function ensureDemoPeople(
  api: string,
  secrets: LocalSecrets,
  tokens: number,
): Promise<{ memberKey: string; adminKey: string }> {
  if (secrets.memberKey !== null && secrets.adminKey !== null) {
    return { memberKey: secrets.memberKey, adminKey: secrets.adminKey };
  }
  const call = caller(`${api}/v1/admin`, secrets.operatorKey);
  const admin = await call("/people", { email: "admin@example.org", role: "admin" });
  const member = await call("/people", { email: "researcher@example.org" });
  await call(`/people/${member.id}/grants`, { id: "first", tokens, note: "to begin with" });
  await call(`/people/${admin.id}/grants`, { id: "first", tokens, note: "to begin with" });
  const memberKey = await call(`/people/${member.id}/keys`, { name: "first key" });
  const adminKey = await call(`/people/${admin.id}/keys`, { name: "admin key", scope: "admin" });
  return { memberKey: memberKey.key ?? "", adminKey: adminKey.key ?? "" };
}

function caller(base: string, key: string) {
  return async (path: string, body: unknown): Promise<{ id: string; key?: string }> => {
    const response = await fetch(base + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; key?: string };
  };
}
