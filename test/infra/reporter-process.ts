import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReporterProcess {
  process: ChildProcess;
  /** All it printed, of vLLM too. */
  output(): string;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

/** The script itself, with just these variables; it ends with the test. */
export function startReporter(
  environment: Record<string, string>,
  command: readonly string[] = [],
): ReporterProcess {
  const dashes = command.length === 0 ? [] : ["--", ...command];
  const child = spawn("python3", ["infra/reporter/reporter.py", ...dashes], {
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => {
      output += part.toString();
    });
  }
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
  });
  return { process: child, output: () => output, ended };
}

/** A port on loopback where nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
