import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secretKinds } from "../../infra/cloudflare/secrets.ts";
import { Operator } from "./cloudflare-operator.ts";

let operator: Operator;
beforeEach(async () => {
  operator = await Operator.start();
});
afterEach(() => operator.leave());

test("the first run makes what is missing, deploys once and tries the deployment", async () => {
  operator.giveBackends();
  const { code, output } = await operator.deploy("--yes");
  expect([code, output]).toEqual([0, expect.stringContaining("ok  your key lists the Models")]);
  expect(Object.keys(operator.account.secrets ?? {}).sort()).toEqual(
    Object.keys(secretKinds).sort(),
  );
  expect(JSON.parse(operator.account.secrets?.BACKENDS ?? "")).toEqual(operator.backends);
  expect(operator.account.calls.filter((call) => call === "deploy")).toHaveLength(1);
});

test("a second run changes nothing and says so, but tries the deployment again", async () => {
  operator.giveBackends();
  await operator.deploy("--yes");
  const before = { ...operator.account, calls: [] };
  const kept = readFileSync(operator.secretsFile, "utf8");
  const { code, output } = await operator.deploy();
  expect(code).toBe(0);
  expect(output).toContain("nothing to change");
  expect(output).toContain("ok  the Worker answers");
  expect({ ...operator.account, calls: [] }).toEqual(before);
  expect(operator.account.calls).not.toContain("deploy");
  expect(readFileSync(operator.secretsFile, "utf8")).toBe(kept);
});

test("new code is deployed with the secrets left alone", async () => {
  operator.giveBackends();
  await operator.deploy("--yes");
  const { secrets } = operator.account;
  operator.account.code = "export default { changed: true }";
  const { code, output } = await operator.deploy();
  expect(code).toBe(0);
  expect(output).toMatch(/^deploy build-[0-9a-f]{12}$/m);
  expect(operator.account.secrets).toEqual(secrets);
});

test("no value of a secret is printed, and only this person can read the file", async () => {
  operator.giveBackends();
  const { output } = await operator.deploy("--yes");
  for (const value of [...Object.values(operator.account.secrets ?? {}), "a-backend's-key"]) {
    expect(output).not.toContain(value);
  }
  expect(operator.account.calls.join()).not.toContain("a-backend's-key");
  expect(statSync(operator.secretsFile).mode & 0o777).toBe(0o600);
});

test("a run that broke off is finished by the next, with the same secrets", async () => {
  operator.giveBackends();
  operator.account.failure = { command: "deploy", says: "A request timed out. [code: 7003]" };
  const broken = await operator.deploy("--yes");
  expect([broken.code, broken.output]).toEqual([1, expect.stringContaining("request timed out")]);
  expect(broken.output).toContain("run this again; what is done stays");
  const made = JSON.parse(readFileSync(operator.secretsFile, "utf8"));
  expect((await operator.deploy()).code).toBe(0);
  expect(operator.account.secrets?.OPERATOR_KEY).toBe(made.OPERATOR_KEY);
});

test("buckets and queues that wrangler.toml binds are made once, before the Worker", async () => {
  operator.giveBackends();
  operator.configure(
    `[[r2_buckets]]
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
  expect((await operator.deploy("--yes")).code).toBe(0);
  expect(operator.account.buckets).toEqual(["continuo-jobs"]);
  expect(operator.account.queues).toEqual(["continuo-dispatch", "continuo-dead"]);
  expect(operator.account.calls.at(-1)).toBe("deploy");
  const { output } = await operator.deploy();
  expect(output).toContain("nothing to change");
  expect(operator.account.queues).toHaveLength(2);
});

test("who is not logged in is told how, and nothing happens", async () => {
  operator.account.loggedIn = false;
  const { code, output } = await operator.deploy("--yes");
  expect(code).toBe(1);
  expect(output).toContain("Cloudflare does not know who you are: `npx wrangler login`");
  expect(operator.account.secrets).toBeNull();
});

test("a secret that only the operator can know is asked for by name, and nothing happens", async () => {
  const { code, output } = await operator.deploy("--yes");
  expect(code).toBe(1);
  expect(output).toContain("BACKENDS: where each Model's vLLM answers");
  expect(operator.account.secrets).toBeNull();
});

test("random secrets are not made without a word from the operator", async () => {
  operator.giveBackends();
  const { code, output } = await operator.deploy();
  expect(code).toBe(1);
  expect(output).toContain("Run it with --yes to make them at random");
  expect(operator.account.secrets).toBeNull();
});

test("a deployment that does not refuse a made-up key is a failure that says so", async () => {
  operator.giveBackends();
  operator.answers["/v1/models"] = { status: 200, body: { data: [] } };
  const { code, output } = await operator.deploy("--yes");
  expect(code).toBe(1);
  expect(output).toContain("NOT  it refuses a made-up key");
  expect(output).toContain("take the deployment down");
});

test("another version than was deployed is a failure", async () => {
  operator.giveBackends();
  operator.answers["/openapi.json"] = { status: 200, body: { info: { version: "0.0.1" } } };
  const { code, output } = await operator.deploy("--yes");
  expect([code, output]).toEqual([1, expect.stringContaining("says version 0.0.1")]);
});

test("an environment that wrangler.toml does not have is refused", async () => {
  const { code, output } = await operator.deploy("--env", "staging", "--yes");
  expect([code, output]).toEqual([1, expect.stringContaining("has no [env.staging]")]);
});

test("where nobody knows the address, the run fails rather than pass untried", async () => {
  operator.giveBackends();
  operator.account.address = "no address at all";
  const { code, output } = await operator.deploy("--yes");
  expect([code, output]).toEqual([1, expect.stringContaining("give --url https://")]);
});

test("a dry run prints every step and changes nothing", async () => {
  operator.account.loggedIn = false;
  const { code, output } = await operator.deploy("--dry-run");
  expect(code).toBe(0);
  expect(operator.account.calls).toEqual(["deploy --dry-run"]);
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
        HOME: operator.folder,
        NO_COLOR: "1",
      },
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^continuo: build-[0-9a-f]{12}, [\d,]+ KiB, compressed [\d,]+ KiB of/);
  expect(stdout).toContain("nothing was changed");
});
