// Builds the pass-through Worker and serves it with the same workerd that serves Continuo.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { freePort, RunningProcess } from "../running-process.ts";
import { anonymousPeople, type PeerSetting, type Target } from "../target.ts";

const HOST = "127.0.0.1";
const entry = fileURLToPath(new URL("./worker.ts", import.meta.url));
const serve = fileURLToPath(new URL("./serve.ts", import.meta.url));

export async function startHonoPassThrough(
  setting: PeerSetting,
): Promise<{ process: RunningProcess; target: Target }> {
  const port = await freePort(HOST);
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      outDir: setting.directory,
      emptyOutDir: false,
      lib: { entry, formats: ["es"], fileName: () => "worker.js" },
    },
  });
  const worker = join(setting.directory, "worker.js");
  const server = RunningProcess.start({
    name: "the Hono pass-through",
    file: process.execPath,
    args: [serve, setting.directory, worker, String(port), setting.engine.url],
  });
  await server.readyLine();
  return {
    process: server,
    target: {
      name: "hono",
      host: HOST,
      port,
      path: "/v1/completions",
      model: setting.engine.model,
      people: anonymousPeople,
      pid: server.pid,
      note: "",
    },
  };
}
