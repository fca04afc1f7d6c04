// The engine that the local stack completes with: our own as a child, or any other vLLM by its URL.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Model, parseCatalogue } from "../../src/contract/catalogue.ts";
import { type LocalOptions, StartProblem } from "./options.ts";

export interface RunningEngine {
  url: string;
  apiKey: string | null;
  servedName: string;
  stop(): Promise<void>;
}

/** The catalogue's id of the local Model, and what the local engine calls it. */
export const LOCAL_MODEL = "local";

/** How long a child may take to end by itself before it is killed. */
const STOP_PATIENCE_MS = 5_000;

export async function startEngine(options: LocalOptions, apiKey: string): Promise<RunningEngine> {
  if (options.engine !== null) return joinEngine(options.engine);
  const args = [
    fileURLToPath(new URL("engine/main.ts", import.meta.url)),
    ...["--port", "0", "--host", "127.0.0.1"],
    ...["--data", join(options.data, "engine")],
    ...["--cold-start-seconds", String(options.coldStartSeconds)],
    // Without a cold start it is up for good.
    ...(options.coldStartSeconds > 0 ? ["--idle-seconds", String(idleSeconds(options))] : []),
    ...["--token-delay-ms", String(options.tokenDelayMs)],
    ...(options.fast ? ["--fast"] : []),
    ...(options.faults ? ["--faults"] : []),
    "--until-stdin-ends",
  ];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    // Not an argument, where the list of processes would show it.
    env: { ...process.env, VLLM_API_KEY: apiKey },
  });
  const ended = once(child, "exit");
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => {
      reject(new StartProblem(`The local engine ended with code ${code} before it was ready.`));
    });
  });
  const { url } = JSON.parse(await ready) as { url: string };
  return {
    url,
    apiKey,
    servedName: LOCAL_MODEL,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      const impatient = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
      await ended;
      clearTimeout(impatient);
    },
  };
}

/** The catalogue's for the local Model, unless told otherwise. */
export function idleSeconds({ idleSeconds }: LocalOptions): number {
  return idleSeconds ?? localModel().idle_seconds;
}

function localModel(): Model {
  const file = new URL("../models.json", import.meta.url);
  const model = parseCatalogue(JSON.parse(readFileSync(file, "utf8"))).get(LOCAL_MODEL);
  if (model === undefined) throw new Error(`infra/models.json has no ${LOCAL_MODEL}`);
  return model;
}

/** Finds out what the other engine calls its model. */
async function joinEngine(url: string): Promise<RunningEngine> {
  const apiKey = process.env.ENGINE_API_KEY ?? null;
  const headers = new Headers(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` });
  const response = await fetch(`${url}/v1/models`, { headers }).catch(() => null);
  if (response === null) throw new StartProblem(`No engine answers at ${url}; is it running?`);
  if (response.status === 401) {
    throw new StartProblem(`The engine at ${url} wants a key: set ENGINE_API_KEY.`);
  }
  if (!response.ok) {
    throw new StartProblem(`The engine at ${url} answers ${response.status} to /v1/models.`);
  }
  const list = (await response.json()) as { data?: { id: string }[] };
  const servedName = list.data?.[0]?.id;
  if (servedName === undefined) throw new StartProblem(`The engine at ${url} serves no model.`);
  return { url, apiKey, servedName, stop: async () => undefined };
}
