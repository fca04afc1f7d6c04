// A real nginx with the proxy configuration that compose mounts, in front of any engine. What nginx's
// image does at its start, filling in the key, is done here.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../bench/peers/running-process.ts";
import { proxyConfiguration } from "../../infra/compose/proxy.ts";

const HOST = "127.0.0.1";
const places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx"];

/** The installed program, or null. */
export const nginx = places.find((place) => existsSync(place)) ?? null;

const KEY_PLACE = "$" + "{VLLM_API_KEY}";

export interface RunningProxy {
  url: string;
  /** Where a body would lie that was not passed on as it came. */
  bodies: string;
  close(): Promise<void>;
}

export async function startProxy(
  program: string,
  setting: { engine: string; key: string; resolver: string | null },
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  // nginx's worker is another person than root, and bodies that it writes lie in here.
  chmodSync(folder, 0o755);
  const port = await freePort(HOST);
  const template = proxyConfiguration({ port, ...setting });
  writeFileSync(join(folder, "server.conf"), template.replaceAll(KEY_PLACE, setting.key));
  const bodies = join(folder, "client_body");
  mkdirSync(bodies);
  writeFileSync(join(folder, "nginx.conf"), around(folder));
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  await untilListening(child, port);
  return {
    url: `http://${HOST}:${port}`,
    bodies,
    async close() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

/** What stands around the server in the image's own nginx.conf, as far as it matters here. */
function around(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${join(folder, kind)};`)
    .join("\n");
  return `daemon off;
worker_processes 1;
pid ${join(folder, "nginx.pid")};
error_log stderr crit;
events { worker_connections 128; }
http {
${temporary}
  keepalive_timeout 65;
  include ${join(folder, "server.conf")};
}
`;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, HOST);
    const listens = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (listens) return;
    await pause(20);
  }
  throw new Error(
    `nginx ended with code ${child.exitCode} before it listened; see its lines above`,
  );
}
