// How each secret comes to be. Cloudflare never shows one again, and some are needed again (an old key
// check while it is rotated, the operator's key to sign in), so what is made here is kept in a file.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseCatalogue } from "../../src/contract/catalogue.ts";
import { parseConfiguration } from "../../src/contract/configuration.ts";
import catalogueFile from "../models.json" with { type: "json" };
import { DeployProblem } from "./problem.ts";

interface SecretKind {
  /** Null where only the operator can know it. */
  make: (() => string) | null;
  is: string;
}

const random = () => randomBytes(32).toString("hex");
/** As Standard Webhooks write it. */
const signing = () => `whsec_${randomBytes(32).toString("base64")}`;

/**
 * All that a deployment cannot start, or take a leaked key away, without. Not wrangler.toml's
 * `secrets.required`: that would warn at every local start, where the same values are plain bindings,
 * and read them from the environment.
 */
export const secretKinds: Readonly<Record<string, SecretKind>> = {
  KEY_CHECK_SECRETS: { make: random, is: "checks the tail of every API key" },
  CACHE_SALT_SECRET: { make: random, is: "names each person's prefix cache to vLLM" },
  OPERATOR_KEY: { make: random, is: "the operator's bearer for /v1/admin" },
  REPORT_SECRETS: { make: signing, is: "what the reporters beside vLLM sign with" },
  WEBHOOK_SECRETS: { make: signing, is: "what signs that a key leaked or a person left" },
  BACKENDS: { make: null, is: "where each Model's vLLM answers, as JSON by Model id" },
};

/** Cloudflare's limit for one variable or secret, in bytes. */
const SECRET_MAX_BYTES = 5_120;

export type SecretValues = Readonly<Record<string, string>>;

/** The file's values as text; `{}` where there is no file yet. */
export function readSecretsFile(file: string): SecretValues {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw failure;
  }
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    );
  } catch {
    throw new DeployProblem(`${file} is no JSON object of names and values.`);
  }
}

export function writeSecretsFile(file: string, values: SecretValues): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
  // The mode above is for a new file only; the operator may have begun this one.
  chmodSync(file, 0o600);
}

/** Of `names`: those in `given`, those that can be made at random, and those that nobody knows. */
export function sortSecrets(names: readonly string[], given: SecretValues) {
  const open = names.filter((name) => given[name] === undefined);
  const makeable = open.filter((name) => typeof secretKinds[name]?.make === "function");
  return { makeable, unknown: open.filter((name) => !makeable.includes(name)) };
}

export function makeSecrets(names: readonly string[]): SecretValues {
  return Object.fromEntries(names.map((name) => [name, secretKinds[name]?.make?.() ?? ""]));
}

/** Whether the Worker would start with them, judged by the Worker's own schema. */
export function checkSecrets(values: SecretValues): void {
  for (const [name, value] of Object.entries(values)) {
    if (Buffer.byteLength(value) <= SECRET_MAX_BYTES) continue;
    throw new DeployProblem(`${name} is longer than the ${SECRET_MAX_BYTES} bytes that fit.`);
  }
  // What is in the account already cannot be read; these stand for it.
  const names = Object.keys(secretKinds).filter((name) => values[name] === undefined);
  const standIns = Object.fromEntries(
    names.map((name) => [name, secretKinds[name]?.make?.() ?? "{}"]),
  );
  let backends: string[];
  try {
    backends = Object.keys(parseConfiguration({ ...standIns, ...values }).BACKENDS);
  } catch (failure) {
    throw new DeployProblem(`The Worker would not start: ${(failure as Error).message}.`);
  }
  const catalogue = parseCatalogue(catalogueFile);
  const unknown = backends.filter((id) => !catalogue.has(id));
  if (unknown.length === 0) return;
  throw new DeployProblem(
    `BACKENDS: no Model is called ${unknown.join(", ")}; there are ${[...catalogue.keys()].join(", ")}.`,
  );
}
