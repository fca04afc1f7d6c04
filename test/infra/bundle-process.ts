// The middleware of infra/bundle as vLLM runs it, in a Python process under uvicorn: above an app that
// does what each line says, or above an engine that runs elsewhere.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";

export interface BundleServer {
  url: string;
  /** What it logged. */
  log(): string;
  stop(): Promise<void>;
}

export interface BundleServerOptions {
  /** The address of an engine that answers the lines, and every other route. */
  upstream?: string;
  /** What the scripted app asks for; an engine asks by itself. */
  key?: string;
  keepAliveSeconds?: number;
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Debian's packages are for its own Python, which need not be the first on the path. */
const pythons = ["python3", "/usr/bin/python3"];

/** A Python that has Starlette and uvicorn, or null. */
const bundlePython =
  pythons.find((python) => spawnSync(python, ["-c", "import starlette, uvicorn"]).status === 0) ??
  null;

/** CI installs what it runs in. Without it such tests are shown as skipped, never as passed. */
export const describeUnderUvicorn = describe.runIf(
  bundlePython !== null || process.env.CI !== undefined,
);

export async function startBundleServer(options: BundleServerOptions = {}): Promise<BundleServer> {
  if (bundlePython === null) {
    throw new Error(
      "There is no uvicorn with Starlette: apt-get install python3-starlette python3-uvicorn.",
    );
  }
  const { upstream, key, keepAliveSeconds } = options;
  const given = { upstream, key, "keep-alive-seconds": keepAliveSeconds };
  const args = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const child = spawn(bundlePython, [path("bundle-app/main.py"), ...args], {
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: path("../../infra/bundle"),
      PYTHONDONTWRITEBYTECODE: "1",
    },
    // It ends when its input does, so also with whoever started it.
    stdio: ["pipe", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = once(child, "close");
  const ready = once(createInterface({ input: child.stdout }), "line");
  const said = await Promise.race([ready, ended.then(() => null)]);
  if (said === null) throw new Error(`The middleware's server ended before it listened:\n${log}`);
  return {
    url: (JSON.parse(String(said[0])) as { url: string }).url,
    log: () => log,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
