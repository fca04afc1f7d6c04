// Stands in for wrangler and the account behind it, whose state is a file: says what the real one says
// in the cases that a deployment meets, and notes each call.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

export interface FakeAccount {
  loggedIn: boolean;
  /** The next command that begins with `command` says `says` and fails. */
  failure: { command: string; says: string } | null;
  secrets: Record<string, string> | null;
  buckets: string[];
  queues: string[];
  /** Tag of the one version that is deployed. */
  tag: string | null;
  /** What is in the bundle. */
  code: string;
  address: string;
  calls: string[];
}

const file = process.env.FAKE_ACCOUNT ?? "";
const account = JSON.parse(readFileSync(file, "utf8")) as FakeAccount;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    outdir: { type: "string" },
    tag: { type: "string" },
    "secrets-file": { type: "string" },
    config: { type: "string" },
    env: { type: "string" },
    format: { type: "string" },
  },
});
const command = positionals.join(" ");
account.calls.push(values["dry-run"] === true ? `${command} --dry-run` : command);

function fail(says: string): never {
  finish();
  console.error(`✘ [ERROR] ${says}`);
  process.exit(1);
}

function finish(): void {
  writeFileSync(file, JSON.stringify(account));
}

function run(): void {
  const [first, second, third] = positionals;
  switch (first === "r2" ? `r2 ${third}` : `${first} ${second ?? ""}`.trim()) {
    case "whoami":
      console.log(JSON.stringify({ loggedIn: account.loggedIn }));
      if (!account.loggedIn) fail("");
      return;
    case "secret list":
      if (account.secrets === null) fail('Worker "continuo" not found.');
      console.log(JSON.stringify(Object.keys(account.secrets).map((name) => ({ name }))));
      return;
    case "r2 info":
      if (!account.buckets.includes(positionals[3] ?? "")) {
        fail("The specified bucket does not exist. [code: 10006]");
      }
      return;
    case "r2 create":
      account.buckets.push(positionals[3] ?? "");
      return;
    case "queues info":
      if (!account.queues.includes(third ?? "")) fail(`Queue "${third}" does not exist.`);
      return;
    case "queues create":
      account.queues.push(third ?? "");
      return;
    case "deployments status":
      if (account.tag === null) fail("The Worker continuo has no deployments.");
      console.log(JSON.stringify({ versions: [{ version_id: "v1", percentage: 100 }] }));
      return;
    case "versions view":
      console.log(JSON.stringify({ id: third, annotations: { "workers/tag": account.tag } }));
      return;
    case "deploy":
      deploy();
      return;
    default:
      fail(`Unknown command: ${command}`);
  }
}

function deploy(): void {
  if (values["dry-run"] === true) {
    writeFileSync(join(String(values.outdir), "main.js"), account.code);
    return;
  }
  const secrets = values["secrets-file"];
  account.secrets = {
    ...account.secrets,
    ...(typeof secrets === "string" && JSON.parse(readFileSync(secrets, "utf8"))),
  };
  account.tag = String(values.tag);
  const output = process.env.WRANGLER_OUTPUT_FILE_PATH ?? "";
  appendFileSync(output, `${JSON.stringify({ type: "wrangler-session" })}\n`);
  appendFileSync(output, `${JSON.stringify({ type: "deploy", targets: [account.address] })}\n`);
}

const { failure } = account;
if (failure !== null && values["dry-run"] !== true && command.startsWith(failure.command)) {
  account.failure = null;
  fail(failure.says);
}
run();
finish();
