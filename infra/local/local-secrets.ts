// What one local stack keeps between its starts besides its objects: the secrets that its Worker is
// configured with, the demo keys that are printed, and where its OpenID provider answers. All of it protects nothing but this machine.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface LocalSecrets {
  keyCheckSecret: string;
  cacheSaltSecret: string;
  operatorKey: string;
  engineKey: string;
  /** Of the reports that a container sends, for whoever runs infra/reporter beside an engine. */
  reportSecret: string;
  /** Of the events that say that a key leaked or a person left. */
  webhookSecret: string;
  /** Where the OpenID provider has answered: whoever has signed in is bound to it. */
  openidPort: number | null;
  memberKey: string | null;
  adminKey: string | null;
}

function file(data: string): string {
  return join(data, "secrets.json");
}

export function forget(data: string): void {
  rmSync(objectsFolder(data), { recursive: true, force: true });
  rmSync(file(data), { force: true });
}

export function objectsFolder(data: string): string {
  return join(data, "objects");
}

export function readSecrets(data: string): LocalSecrets {
  const draw = () => randomBytes(32).toString("hex");
  const drawForWebhooks = () => `whsec_${randomBytes(32).toString("base64")}`;
  return {
    keyCheckSecret: draw(),
    cacheSaltSecret: draw(),
    operatorKey: draw(),
    engineKey: draw(),
    reportSecret: drawForWebhooks(),
    webhookSecret: drawForWebhooks(),
    openidPort: null,
    memberKey: null,
    adminKey: null,
    ...keptSecrets(data),
  };
}

/** One that an older version wrote lacks what came later. */
function keptSecrets(data: string): Partial<LocalSecrets> {
  try {
    return JSON.parse(readFileSync(file(data), "utf8")) as Partial<LocalSecrets>;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "ENOENT") throw failure;
    return {};
  }
}

export function writeSecrets(data: string, secrets: LocalSecrets): void {
  mkdirSync(data, { recursive: true });
  writeFileSync(file(data), `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
}
