// Continuo as `npm start` runs it, with keys, Holds and settlement on, and a person for each client.
import { fileURLToPath } from "node:url";
import { firstModel } from "./engine.ts";
import { freePort, RunningProcess } from "./running-process.ts";
import { PEOPLE, type PeerSetting, type Target } from "./target.ts";

const HOST = "127.0.0.1";
const entry = fileURLToPath(new URL("../../infra/local/start.ts", import.meta.url));

/** More than a run can spend, so that no request is lowered or refused. */
const GRANT_TOKENS = 1_000_000_000;
/** The default of 600 starts a minute would end a measure in a second. The check itself stays on. */
const limits = { starts_per_minute: 1_000_000 };

export async function startContinuo(
  setting: PeerSetting,
): Promise<{ process: RunningProcess; target: Target }> {
  const port = await freePort(HOST);
  // Else it is the next one, which may be taken.
  const openidPort = await freePort(HOST);
  const server = RunningProcess.start({
    name: "Continuo",
    file: process.execPath,
    args: [
      entry,
      "--json",
      ...["--port", String(port)],
      ...["--openid-port", String(openidPort)],
      ...["--engine", setting.engine.url],
      ...["--data", setting.directory],
    ],
  });
  const ready = await server.readyLine();
  const api = textOf(ready, "api").replace(/\/v1\/?$/, "");
  const adminKey = textOf(ready, "admin_key");
  const keys: string[] = [];
  for (let person = 0; person < PEOPLE; person += 1) {
    keys.push(await addPerson(api, adminKey, person));
  }
  const people = keys.map((key) => ({ authorization: `Bearer ${key}` }));
  const { hostname, port: apiPort } = new URL(api);
  return {
    process: server,
    target: {
      name: "continuo",
      host: hostname,
      port: Number(apiPort),
      path: "/v1/completions",
      model: await firstModel(api, people[0] ?? {}),
      people,
      pid: server.pid,
      note: `keys, Holds and settlement on; ${limits.starts_per_minute} starts a minute allowed`,
    },
  };
}

/** Adds a person with tokens and a key, and gives the key. */
async function addPerson(api: string, adminKey: string, person: number): Promise<string> {
  const admin = async (method: string, path: string, body: object): Promise<object> => {
    const answer = await fetch(`${api}/v1/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} /v1/admin${path} was answered ${answer.status}`);
    return (await answer.json()) as object;
  };
  const email = `bench-${person}@example.org`;
  const id = textOf(await admin("POST", "/people", { email, role: "member" }), "id");
  await admin("PATCH", `/people/${id}`, { limits });
  await admin("POST", `/people/${id}/grants`, {
    tokens: GRANT_TOKENS,
    note: "benchmark",
    id: `grant${person}`,
  });
  const minted = await admin("POST", `/people/${id}/keys`, {
    name: "benchmark",
    id: `key${person}`,
  });
  return textOf(minted, "key");
}

function textOf(answer: object, name: string): string {
  const value: unknown = Reflect.get(answer, name);
  if (typeof value !== "string") throw new Error(`Continuo's answer has no ${name}`);
  return value;
}
