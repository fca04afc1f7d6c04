// Builds a bare Worker and serves it with the same workerd that serves Continuo.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { freePort, RunningProcess } from "../running-process.ts";
import { anonymousPeople, type PeerSetting, type Target } from "../target.ts";

const HOST = "127.0.0.1";
const serve = fileURLToPath(new URL("./serve.ts", import.meta.url));

const workers = {
  hono: { file: "./pass-through.ts", objectClass: "", note: "" },
  floor: {
    file: "./floor.ts",
    objectClass: "Empty",
    note: "what the contract asks of the runtime, with nothing decided",
  },
};

export async function startBareWorker(
  name: keyof typeof workers,
  setting: PeerSetting,
): Promise<{ process: RunningProcess; target: Target }> {
  const { file, objectClass, note } = workers[name];
  const port = await freePort(HOST);
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      outDir: setting.directory,
      emptyOutDir: false,
      lib: {
        entry: fileURLToPath(new URL(file, import.meta.url)),
        formats: ["es"],
        fileName: () => "worker.js",
      },
      rolldownOptions: { external: ["cloudflare:workers"] },
    },
  });
  const worker = join(setting.directory, "worker.js");
  const server = RunningProcess.start({
    name: `the bare Worker ${name}`,
    file: process.execPath,
    args: [serve, setting.directory, worker, String(port), setting.engine.url, objectClass],
  });
  await server.readyLine();
  return {
    process: server,
    target: {
      name,
      host: HOST,
      port,
      path: "/v1/completions",
      model: setting.engine.model,
      people: Array.from(anonymousPeople, (headers, person) =>
        name === "floor" ? { authorization: `${headers.authorization}${person}` } : headers,
      ),
      pid: server.pid,
      note,
    },
  };
}
