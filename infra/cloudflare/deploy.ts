// `npm run deploy`: build, look, plan, do, try. Whatever is there already stays as it is, so that it can
// be run again after any failure, and a second run changes nothing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { lookAtAccount } from "./account.ts";
import { BUNDLE_MAX_GZIP_BYTES, type Bundle, buildBundle, checkSize, kibibytes } from "./bundle.ts";
import { type DeployOptions, readOptions } from "./options.ts";
import { describeStep, emptyAccount, plan, type Step } from "./plan.ts";
import { DeployProblem } from "./problem.ts";
import {
  checkSecrets,
  makeSecrets,
  readSecretsFile,
  type SecretValues,
  secretKinds,
  sortSecrets,
  writeSecretsFile,
} from "./secrets.ts";
import { smokeTest } from "./smoke.ts";
import { readWanted, resourceKinds, type Wanted } from "./wanted.ts";
import { problemOf, type Wrangler, wranglerFor } from "./wrangler.ts";

const say = (line: string) => console.log(line);

async function main(options: DeployOptions): Promise<void> {
  const wanted = readWanted(options);
  const wrangler = wranglerFor(options);
  const bundle = buildBundle(wrangler, options);
  checkSize(bundle);
  say(`${wanted.worker}: ${bundle.build}, ${sizes(bundle)}`);
  const secretsFile = options.secrets ?? kept(wanted, "json");
  if (options.dryRun) return sayDryRun(wanted, bundle, secretsFile);

  const steps = plan(wanted, bundle.build, lookAtAccount(wrangler, wanted));
  if (steps.length === 0) say("nothing to change: all of it is there, and this build is what runs");
  const values = await secretsFor(steps, secretsFile, options.yes);
  for (const step of steps) {
    say(describeStep(step));
    if (step.do === "create") create(wrangler, step);
    else deploy(wrangler, step, values, wanted);
  }
  const address = options.url ?? rememberedAddress(wanted);
  if (address === null) {
    throw new DeployProblem(
      "Nobody said where it answers, so it was not tried: give --url https://…",
    );
  }
  say(`smoke test at ${address}`);
  await smokeTest(address, process.env.CONTINUO_API_KEY ?? null, say);
}

function sizes({ bytes, gzipBytes }: Bundle): string {
  const most = kibibytes(BUNDLE_MAX_GZIP_BYTES);
  return `${kibibytes(bytes)}, compressed ${kibibytes(gzipBytes)} of at most ${most}`;
}

/** What this machine keeps of a deployment; git ignores the folder. */
function kept({ worker }: Wanted, ending: string): string {
  return join(".local/cloudflare", `${worker}.${ending}`);
}

function sayDryRun(wanted: Wanted, { build }: Bundle, secretsFile: string): void {
  const steps = plan(wanted, build, emptyAccount);
  const given = readSecretsFile(secretsFile);
  checkSecrets(given);
  const { makeable, unknown } = sortSecrets(wanted.secrets, given);
  say("dry run: in an account that has nothing, these steps");
  say("  ask wrangler who you are, which secrets are set, and what runs");
  for (const name of makeable) say(`  make ${name} at random, and keep it in ${secretsFile}`);
  for (const name of unknown) say(`  ask for ${name} in ${secretsFile}: ${secretKinds[name]?.is}`);
  for (const step of steps) say(`  ${describeStep(step)}`);
  say("  smoke test: /health, /openapi.json, a made-up key, and CONTINUO_API_KEY if set");
  say("nothing was changed");
}

/** The values of all secrets that the steps need, made and kept before anything is changed. */
async function secretsFor(
  steps: readonly Step[],
  file: string,
  yes: boolean,
): Promise<SecretValues> {
  const names = steps.flatMap((step) => (step.do === "deploy" ? step.secrets : []));
  const given = readSecretsFile(file);
  const { makeable, unknown } = sortSecrets(names, given);
  if (unknown.length > 0) {
    const lines = unknown.map((name) => `  ${name}: ${secretKinds[name]?.is}`);
    throw new DeployProblem(`Put these into ${file}, by name, as JSON:\n${lines.join("\n")}`);
  }
  if (makeable.length > 0 && !yes) await askToMake(makeable);
  const values = { ...given, ...makeSecrets(makeable) };
  const needed = Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
  checkSecrets(needed);
  if (makeable.length === 0) return needed;
  // First to the disk: Cloudflare shows none of them again, and the next try must use the same.
  writeSecretsFile(file, values);
  say(`made ${makeable.join(", ")}; keep ${file} where you keep passwords`);
  return needed;
}

async function askToMake(names: readonly string[]): Promise<void> {
  const what = names.join(", ");
  if (!process.stdin.isTTY) {
    throw new DeployProblem(
      `These are not set: ${what}. Run it with --yes to make them at random.`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Make ${what} at random? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new DeployProblem(`Without ${what} the Worker does not start; nothing was changed.`);
  }
}

function create(wrangler: Wrangler, { resource }: Step & { do: "create" }): void {
  const args = resourceKinds[resource.kind].create(resource.name);
  const outcome = wrangler(args);
  if (!outcome.ok) throw problemOf(args, outcome);
}

function deploy(
  wrangler: Wrangler,
  { build, secrets }: Step & { do: "deploy" },
  values: SecretValues,
  wanted: Wanted,
): void {
  // Only this person can enter the folder; the values are never an argument.
  const folder = mkdtempSync(join(tmpdir(), "continuo-deploy-"));
  try {
    const secretsFile = join(folder, "secrets.json");
    const output = join(folder, "output.ndjson");
    const args = ["deploy", "--strict", "--tag", build];
    if (secrets.length > 0) {
      writeFileSync(secretsFile, JSON.stringify(values), { mode: 0o600 });
      args.push("--secrets-file", secretsFile);
    }
    const outcome = wrangler(args, { WRANGLER_OUTPUT_FILE_PATH: output });
    if (!outcome.ok) throw problemOf(args, outcome);
    rememberAddress(wanted, output);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** wrangler writes one JSON object a line; that of the deployment lists where it answers. */
function rememberAddress(wanted: Wanted, output: string): void {
  const lines = readFileSync(output, "utf8").trim().split("\n");
  const deployed = lines
    .map((line) => JSON.parse(line) as { type?: string; targets?: string[] })
    .find(({ type }) => type === "deploy");
  const address = deployed?.targets?.find((target) => /^https?:\/\//.test(target));
  if (address === undefined) return;
  mkdirSync(dirname(kept(wanted, "url")), { recursive: true });
  writeFileSync(kept(wanted, "url"), `${address}\n`);
}

function rememberedAddress(wanted: Wanted): string | null {
  try {
    return readFileSync(kept(wanted, "url"), "utf8").trim();
  } catch {
    return null;
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if ("help" in options) say(options.help);
  else await main(options);
} catch (failure) {
  if (!(failure instanceof DeployProblem)) throw failure;
  console.error(failure.message);
  process.exitCode = 1;
}
