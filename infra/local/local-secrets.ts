// What one local stack keeps between its starts besides its objects: the secrets that its Worker is
// configured with, and the demo keys that are printed. All of it protects nothing but this machine.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface LocalSecrets {
  keyCheckSecret: string;
  cacheSaltSecret: string;
  operatorKey: string;
  engineKey: string;
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
  try {
    return JSON.parse(readFileSync(file(data), "utf8")) as LocalSecrets;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "ENOENT") throw failure;
  }
  const draw = () => randomBytes(32).toString("hex");
  return {
    keyCheckSecret: draw(),
    cacheSaltSecret: draw(),
    operatorKey: draw(),
    engineKey: draw(),
    memberKey: null,
    adminKey: null,
  };
}

export function writeSecrets(data: string, secrets: LocalSecrets): void {
  mkdirSync(data, { recursive: true });
  writeFileSync(file(data), `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
}
