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

/** Builds the Worker of a file beside this one, and serves it. */
export async function serveBareWorker(options: {
  file: string;
  /** Of its one Durable Object, or empty. */
  objectClass: string;
  upstream: string;
  /** For its build. */
  directory: string;
}): Promise<{ process: RunningProcess; port: number }> {
  const { file, objectClass, upstream, directory } = options;
  const port = await freePort(HOST);
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      outDir: directory,
      emptyOutDir: false,
      lib: {
        entry: fileURLToPath(new URL(file, import.meta.url)),
        formats: ["es"],
        fileName: () => "worker.js",
      },
      rolldownOptions: { external: ["cloudflare:workers"] },
    },
  });
  const server = RunningProcess.start({
    name: `the bare Worker ${file}`,
    file: process.execPath,
    args: [serve, directory, join(directory, "worker.js"), String(port), upstream, objectClass],
  });
  await server.readyLine();
  return { process: server, port };
}

export async function startBareWorker(
  name: keyof typeof workers,
  { engine, directory }: PeerSetting,
): Promise<{ process: RunningProcess; target: Target }> {
  const { file, objectClass, note } = workers[name];
  const served = { file, objectClass, upstream: engine.url, directory };
  const { process: server, port } = await serveBareWorker(served);
  return {
    process: server,
    target: {
      name,
      host: HOST,
      port,
      path: "/v1/completions",
      model: engine.model,
      people: Array.from(anonymousPeople, (headers, person) =>
        name === "floor" ? { authorization: `${headers.authorization}${person}` } : headers,
      ),
      pid: server.pid,
      note,
    },
  };
}
