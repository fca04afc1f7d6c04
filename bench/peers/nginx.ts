// nginx as a reverse proxy: about the least that any hop costs. It keeps no accounts.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, RunningProcess } from "./running-process.ts";
import { anonymousPeople, type PeerSetting, type Target } from "./target.ts";

const HOST = "127.0.0.1";
const places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx"];

/** The installed program, or null. */
export function findNginx(): string | null {
  return places.find((place) => existsSync(place)) ?? null;
}

export async function startNginx(
  program: string,
  setting: PeerSetting,
): Promise<{ process: RunningProcess; target: Target }> {
  const port = await freePort(HOST);
  const file = join(setting.directory, "nginx.conf");
  await writeFile(file, configuration(port, setting));
  const server = RunningProcess.start({
    name: "nginx",
    file: program,
    args: ["-p", setting.directory, "-c", file, "-e", "stderr"],
  });
  await server.listening(HOST, port);
  return {
    process: server,
    target: {
      name: "nginx",
      host: HOST,
      port,
      path: "/v1/completions",
      model: setting.engine.model,
      people: anonymousPeople,
      pid: server.pid,
      note: "one worker process, no buffering, kept connections to the engine",
    },
  };
}

/** One worker, since every other target has one event loop too. */
function configuration(port: number, { directory, engine }: PeerSetting): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${join(directory, kind)};`)
    .join("\n");
  return `daemon off;
worker_processes 1;
pid ${join(directory, "nginx.pid")};
error_log stderr error;
events { worker_connections 256; }
http {
  access_log off;
${temporary}
  upstream engine {
    server ${engine.host}:${engine.port};
    keepalive 64;
    keepalive_requests 10000000;
  }
  server {
    listen ${HOST}:${port};
    keepalive_requests 10000000;
    client_max_body_size 8m;
    location / {
      proxy_pass http://engine;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_buffer_size 64k;
      proxy_buffers 8 64k;
    }
  }
}
`;
}
