// Portkey's gateway on Node, as its package starts it. It keeps no accounts: what it does for each
// request is choose the provider, check the body's fields and translate the answer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, RunningProcess } from "./running-process.ts";
import { anonymousPeople, type PeerSetting, type Target } from "./target.ts";

const HOST = "127.0.0.1";
const directory = fileURLToPath(new URL("..", import.meta.url));
const entry = join(directory, "node_modules/@portkey-ai/gateway/build/start-server.js");

/** Installs it from this folder's own lock file, apart from the project's dependencies. */
export async function installPortkey(): Promise<void> {
  if (existsSync(entry)) return;
  const npm = spawn("npm", ["ci", "--ignore-scripts", "--prefix", directory], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error("Portkey could not be installed; leave it out with --peers");
}

export async function startPortkey(
  setting: PeerSetting,
): Promise<{ process: RunningProcess; target: Target }> {
  const port = await freePort(HOST);
  const server = RunningProcess.start({
    name: "Portkey",
    file: process.execPath,
    args: [entry, "--headless", `--port=${port}`],
    environment: { NODE_ENV: "production", ENVIRONMENT: "production" },
  });
  await server.listening(HOST, port);
  return {
    process: server,
    target: {
      name: "portkey",
      host: HOST,
      port,
      path: "/v1/completions",
      model: setting.engine.model,
      people: anonymousPeople.map((headers) => ({
        ...headers,
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": `${setting.engine.url}/v1`,
      })),
      pid: server.pid,
      note: "on Node, headless, production mode; no accounts",
    },
  };
}
