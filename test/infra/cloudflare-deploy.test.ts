import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secretKinds } from "../../infra/cloudflare/secrets.ts";
import packageFile from "../../package.json" with { type: "json" };
import type { FakeAccount } from "./cloudflare-fake-wrangler.ts";

const backends = { local: { url: "https://gpu.example.org", api_key: "a-backend's-key" } };

let folder: string;
let server: Server;
let account: FakeAccount;
/** What the deployment answers, by path; `null` breaks the connection. */
let answers: Record<string, { status: number; body: unknown }>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "deploy-"));
  answers = {
    "/health": { status: 200, body: { status: "ok" } },
    "/openapi.json": { status: 200, body: { info: { version: packageFile.version } } },
    "/v1/models": { status: 401, body: { error: { code: "invalid_api_key" } } },
  };
  server = createServer((request, response) => {
    const mine = request.headers.authorization === "Bearer the-operator's-own";
    const data = { status: 200, body: { data: [] } };
    const { status, body } = mine
      ? data
      : (answers[request.url ?? ""] ?? { status: 404, body: {} });
    response.writeHead(status).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  account = {
    loggedIn: true,
    failure: null,
    secrets: null,
    buckets: [],
    queues: [],
    tag: null,
    code: "export default {}",
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
  };
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const fake = resolve("test/infra/cloudflare-fake-wrangler.ts");
  writeFileSync(join(bin, "wrangler"), `#!/bin/sh\nexec "${process.execPath}" "${fake}" "$@"\n`);
  chmodSync(join(bin, "wrangler"), 0o755);
  writeFileSync(join(folder, "wrangler.toml"), 'name = "continuo"\nmain = "main.ts"\n');
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const accountFile = () => join(folder, "account.json");
const secretsFile = () => join(folder, ".local/cloudflare/continuo.json");

async function deploy(...args: string[]) {
  account.calls = [];
  writeFileSync(accountFile(), JSON.stringify(account));
  const child = spawn(process.execPath, [resolve("infra/cloudflare/deploy.ts"), ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      HOME: folder,
      FAKE_ACCOUNT: accountFile(),
      CONTINUO_API_KEY: "the-operator's-own",
      NO_COLOR: "1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const [code] = (await once(child, "close")) as [number];
  account = JSON.parse(readFileSync(accountFile(), "utf8"));
  return { code, output };
}

function giveBackends(): void {
  mkdirSync(join(folder, ".local/cloudflare"), { recursive: true });
  writeFileSync(secretsFile(), JSON.stringify({ BACKENDS: backends }));
}

test("the first run makes what is missing, deploys once and tries the deployment", async () => {
  giveBackends();
  const { code, output } = await deploy("--yes");
  expect([code, output]).toEqual([0, expect.stringContaining("ok  your key lists the Models")]);
  expect(Object.keys(account.secrets ?? {}).sort()).toEqual(Object.keys(secretKinds).sort());
  expect(JSON.parse(account.secrets?.BACKENDS ?? "")).toEqual(backends);
  expect(account.calls.filter((call) => call === "deploy")).toHaveLength(1);
});

test("a second run changes nothing and says so, but tries the deployment again", async () => {
  giveBackends();
  await deploy("--yes");
  const before = { ...account, calls: [] };
  const kept = readFileSync(secretsFile(), "utf8");
  const { code, output } = await deploy();
  expect(code).toBe(0);
  expect(output).toContain("nothing to change");
  expect(output).toContain("ok  the Worker answers");
  expect({ ...account, calls: [] }).toEqual(before);
  expect(account.calls).not.toContain("deploy");
  expect(readFileSync(secretsFile(), "utf8")).toBe(kept);
});

test("new code is deployed with the secrets left alone", async () => {
  giveBackends();
  await deploy("--yes");
  const { secrets } = account;
  account.code = "export default { changed: true }";
  const { code, output } = await deploy();
  expect(code).toBe(0);
  expect(output).toMatch(/^deploy build-[0-9a-f]{12}$/m);
  expect(account.secrets).toEqual(secrets);
});

test("no value of a secret is printed, and only this person can read the file", async () => {
  giveBackends();
  const { output } = await deploy("--yes");
  for (const value of [...Object.values(account.secrets ?? {}), "a-backend's-key"]) {
    expect(output).not.toContain(value);
  }
  expect(account.calls.join()).not.toContain("a-backend's-key");
  expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
});

test("a run that broke off is finished by the next, with the same secrets", async () => {
  giveBackends();
  account.failure = { command: "deploy", says: "A request timed out. [code: 7003]" };
  const broken = await deploy("--yes");
  expect([broken.code, broken.output]).toEqual([1, expect.stringContaining("request timed out")]);
  expect(broken.output).toContain("run this again; what is done stays");
  const made = JSON.parse(readFileSync(secretsFile(), "utf8"));
  expect((await deploy()).code).toBe(0);
  expect(account.secrets?.OPERATOR_KEY).toBe(made.OPERATOR_KEY);
});

test("buckets and queues that wrangler.toml binds are made once, before the Worker", async () => {
  giveBackends();
  writeFileSync(
    join(folder, "wrangler.toml"),
    `name = "continuo"
main = "main.ts"
[[r2_buckets]]
binding = "JOBS"
bucket_name = "continuo-jobs"
[[queues.producers]]
binding = "DISPATCH"
queue = "continuo-dispatch"
[[queues.consumers]]
queue = "continuo-dispatch"
dead_letter_queue = "continuo-dead"
`,
  );
  expect((await deploy("--yes")).code).toBe(0);
  expect(account.buckets).toEqual(["continuo-jobs"]);
  expect(account.queues).toEqual(["continuo-dispatch", "continuo-dead"]);
  expect(account.calls.at(-1)).toBe("deploy");
  const { output } = await deploy();
  expect(output).toContain("nothing to change");
  expect(account.queues).toHaveLength(2);
});

test("who is not logged in is told how, and nothing happens", async () => {
  account.loggedIn = false;
  const { code, output } = await deploy("--yes");
  expect(code).toBe(1);
  expect(output).toContain("Cloudflare does not know who you are: `npx wrangler login`");
  expect(account.secrets).toBeNull();
});

test("a secret that only the operator can know is asked for by name, and nothing happens", async () => {
  const { code, output } = await deploy("--yes");
  expect(code).toBe(1);
  expect(output).toContain("BACKENDS: where each Model's vLLM answers");
  expect(account.secrets).toBeNull();
});

test("random secrets are not made without a word from the operator", async () => {
  giveBackends();
  const { code, output } = await deploy();
  expect(code).toBe(1);
  expect(output).toContain("Run it with --yes to make them at random");
  expect(account.secrets).toBeNull();
});

test("a deployment that does not refuse a made-up key is a failure that says so", async () => {
  giveBackends();
  answers["/v1/models"] = { status: 200, body: { data: [] } };
  const { code, output } = await deploy("--yes");
  expect(code).toBe(1);
  expect(output).toContain("NOT  it refuses a made-up key");
  expect(output).toContain("take the deployment down");
});

test("another version than was deployed is a failure", async () => {
  giveBackends();
  answers["/openapi.json"] = { status: 200, body: { info: { version: "0.0.1" } } };
  const { code, output } = await deploy("--yes");
  expect([code, output]).toEqual([1, expect.stringContaining("says version 0.0.1")]);
});

test("an environment that wrangler.toml does not have is refused", async () => {
  const { code, output } = await deploy("--env", "staging", "--yes");
  expect([code, output]).toEqual([1, expect.stringContaining("has no [env.staging]")]);
});

test("where nobody knows the address, the run fails rather than pass untried", async () => {
  giveBackends();
  account.address = "no address at all";
  const { code, output } = await deploy("--yes");
  expect([code, output]).toEqual([1, expect.stringContaining("give --url https://")]);
});

test("a dry run prints every step and changes nothing", async () => {
  account.loggedIn = false;
  const { code, output } = await deploy("--dry-run");
  expect(code).toBe(0);
  expect(account.calls).toEqual(["deploy --dry-run"]);
  for (const name of Object.keys(secretKinds)) expect(output).toContain(name);
  expect(output).toMatch(/deploy build-[0-9a-f]{12} with the secrets/);
  expect(output).toContain("smoke test");
});

test("the real Worker is built and fits by a dry run with the real wrangler, and no account", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["infra/cloudflare/deploy.ts", "--dry-run"],
    {
      encoding: "utf8",
      env: {
        PATH: `${resolve("node_modules/.bin")}:${process.env.PATH}`,
        HOME: folder,
        NO_COLOR: "1",
      },
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^continuo: build-[0-9a-f]{12}, [\d,]+ KiB, compressed [\d,]+ KiB of/);
  expect(stdout).toContain("nothing was changed");
});
