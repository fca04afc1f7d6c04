// A real Redis (Debian: redis-server) for this machine, with nothing on disk, behind the bridge that
// speaks Upstash's protocol. Reached by a Unix socket, so that it takes no port of anybody.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createBridge } from "./bridge.ts";

export interface LocalRedis {
  /** As UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN. */
  url: string;
  token: string;
  /** SIGKILL of Redis alone: the bridge stays, and says that Redis is not there. */
  kill(): Promise<void>;
  /** Redis again, as empty as it was first. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLocalRedis(): Promise<LocalRedis> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-redis-"));
  const socket = join(folder, "redis.sock");
  const token = randomBytes(16).toString("hex");
  let redis = await launch(socket);
  const bridge = createBridge(socket, token).listen(0, "127.0.0.1");
  await once(bridge, "listening");
  const { port } = bridge.address() as AddressInfo;
  const kill = async () => {
    if (redis.exitCode !== null || redis.signalCode !== null) return;
    redis.kill("SIGKILL");
    await once(redis, "exit");
  };
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    kill,
    async revive() {
      redis = await launch(socket);
    },
    async stop() {
      await kill();
      bridge.close();
      bridge.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launch(socket: string): Promise<ChildProcess> {
  const args = ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  const failed = once(child, "error").then(([failure]) => {
    throw new Error(
      `redis-server does not start (Debian: apt-get install redis-server): ${failure}`,
    );
  });
  await Promise.race([failed, ready(child)]);
  return child;
}

async function ready(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error("redis-server has no output to read");
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes("ready to accept connections")) continue;
    // Nobody reads on: without this a full pipe would stop it.
    child.stdout.resume();
    return;
  }
  throw new Error("redis-server ended before it was ready");
}
