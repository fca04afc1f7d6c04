// Builds the pass-through Worker and serves it with the same workerd that serves Continuo.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { freePort, RunningProcess } from "../running-process.ts";
import { anonymousPeople, type PeerSetting, type Target } from "../target.ts";

const HOST = "127.0.0.1";
const entry = fileURLToPath(new URL("./worker.ts", import.meta.url));
const workerd = fileURLToPath(
  new URL("../../../node_modules/workerd/bin/workerd", import.meta.url),
);

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
  const file = join(setting.directory, "workerd.capnp");
  await writeFile(file, configuration(port, setting.engine.url));
  const server = RunningProcess.start({
    name: "the Hono pass-through",
    file: workerd,
    args: ["serve", file],
  });
  await server.listening(HOST, port);
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

function configuration(port: number, upstream: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-01",
      bindings = [(name = "UPSTREAM", text = "${upstream}")],
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "${HOST}:${port}", http = (), service = "main")],
);
`;
}
