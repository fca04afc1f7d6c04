// The whole service as `npm start` runs it, as a child of the tests.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { loadOrTrain } from "../../infra/local/engine/model-file.ts";

export interface Stack {
  /** The base URL of an SDK. */
  api: string;
  /** The origin. */
  app: string;
  /** The issuer of its OpenID provider. */
  openid: string;
  /** Of the demo member and the demo admin. */
  key: string;
  adminKey: string;
  engine: string;
  engineKey: string;
  operatorKey: string;
  /** What events of keys are signed with. */
  webhookSecret: string;
}

export interface StackProcess {
  stack: Stack;
  child: ChildProcess;
  stop(): Promise<void>;
}

interface StackOptions {
  /** Where its objects are kept; a folder of its own that goes with it, if absent. */
  data?: string;
  port?: number;
  faults?: boolean;
  holdLeaseSeconds?: number;
  tokenDelayMs?: number;
  coldStartSeconds?: number;
  coldHoldSeconds?: number;
  idleSeconds?: number;
  usdPerHour?: number;
  /** Of the catalogue; the same engine answers for it. */
  secondModel?: string;
  /** In place of an own engine. */
  engine?: { url: string; key: string };
  /** What the guard counts with, in place of the Workers binding. */
  redis?: { url: string; token: string };
}

const root = resolve(import.meta.dirname, "../..");
export const learnedModel = resolve(root, ".local/engine");

/** Learns the engine's model once for all stacks, so that each starts at once. */
export function learnOnce(): void {
  loadOrTrain(learnedModel, (line) => process.stderr.write(`${line}\n`));
}

export function newDataFolder(): string {
  const data = mkdtempSync(join(tmpdir(), "continuo-"));
  mkdirSync(data, { recursive: true });
  symlinkSync(learnedModel, join(data, "engine"));
  return data;
}

export async function startStack(options: StackOptions = {}): Promise<StackProcess> {
  const data = options.data ?? newDataFolder();
  const { holdLeaseSeconds, tokenDelayMs, engine, redis, faults, port = 0 } = options;
  const number = (name: string, value: number | undefined) =>
    value === undefined ? [] : [name, String(value)];
  const args = [
    ...["infra/local/start.ts", "--json", "--port", String(port), "--data", data],
    ...(faults ? ["--faults"] : []),
    ...number("--hold-lease-seconds", holdLeaseSeconds),
    ...number("--token-delay-ms", tokenDelayMs),
    ...number("--cold-start-seconds", options.coldStartSeconds),
    ...number("--cold-hold-seconds", options.coldHoldSeconds),
    ...number("--idle-seconds", options.idleSeconds),
    ...number("--usd-per-hour", options.usdPerHour),
    ...(options.secondModel === undefined ? [] : ["--second-model", options.secondModel]),
    ...(engine === undefined ? [] : ["--engine", engine.url]),
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...(engine !== undefined && { ENGINE_API_KEY: engine.key }),
      ...(redis !== undefined && {
        UPSTASH_REDIS_REST_URL: redis.url,
        UPSTASH_REDIS_REST_TOKEN: redis.token,
      }),
    },
  });
  const ended = once(child, "exit");
  const ready = await firstLine(child);
  const secrets = JSON.parse(readFileSync(join(data, "secrets.json"), "utf8"));
  if (options.coldStartSeconds === undefined) await warmUp(ready);
  return {
    child,
    stack: {
      api: ready.api,
      app: ready.app,
      openid: ready.openid,
      key: ready.key,
      adminKey: ready.admin_key,
      engine: ready.engine,
      engineKey: engine?.key ?? secrets.engineKey,
      operatorKey: secrets.operatorKey,
      webhookSecret: ready.webhook_secret,
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
      if (options.data === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}

interface Ready {
  api: string;
  app: string;
  openid: string;
  key: string;
  admin_key: string;
  webhook_secret: string;
  engine: string;
}

/** The first Completion makes the gateway ask whether the Model lives, which no test should meet. */
export async function warmUp({ api, key }: Pick<Stack, "api" | "key">): Promise<void> {
  const response = await fetch(`${api}/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "local", prompt: "a", max_tokens: 1 }),
  });
  if (!response.ok) throw new Error(`the stack is not warm: ${await response.text()}`);
}

/** What it prints when it is ready; its complaints, if it never is. */
async function firstLine(child: ChildProcess): Promise<Ready> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the stack has no output to read");
  let complaints = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const line = await new Promise<string>((answer, fail) => {
    createInterface({ input: stdout }).once("line", answer);
    child.once("exit", (code) => fail(new Error(`the stack ended with ${code}: ${complaints}`)));
  });
  return JSON.parse(line) as Ready;
}
