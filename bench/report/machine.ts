// Where the figures come from: without it a table says nothing a month later.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { findNginx } from "../peers/nginx.ts";

export type MachineFacts = Record<string, string>;

export function machineFacts(): MachineFacts {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    system: `${type()} ${release()}`,
    cores: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown"}`,
    memory: `${(totalmem() / 1e9).toFixed(0)} GB`,
    "load before": loadavg()
      .map((load) => load.toFixed(2))
      .join(" "),
    node: process.version,
    workerd: packageVersion("../../node_modules/workerd/package.json"),
    hono: packageVersion("../../node_modules/hono/package.json"),
    nginx: nginxVersion(),
    portkey: packageVersion("../node_modules/@portkey-ai/gateway/package.json"),
  };
}

function packageVersion(path: string): string {
  try {
    const text = readFileSync(new URL(path, import.meta.url), "utf8");
    const { version } = JSON.parse(text) as { version: string };
    return version;
  } catch {
    return "not installed";
  }
}

function nginxVersion(): string {
  const program = findNginx();
  if (program === null) return "not installed";
  try {
    // It writes its version to stderr; `-v` with stderr joined is the portable way to read it.
    const text = execFileSync("sh", ["-c", `"${program}" -v 2>&1`], { encoding: "utf8" });
    return text.trim().replace("nginx version: nginx/", "");
  } catch {
    return "unknown";
  }
}
