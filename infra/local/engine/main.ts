// The engine as a process: `node infra/local/engine/main.ts --help`.
import { parseArgs } from "node:util";
import { startEngine } from "./server.ts";

const usage = `A small base model behind vLLM's HTTP interface.

  --port N                 port to listen on; 0 is any free one (default 8000)
  --host ADDRESS           address to listen on (default 127.0.0.1)
  --data DIR               where the learned model is kept (default .local/engine)
  --api-key KEY            Bearer token required on /v1 paths (or VLLM_API_KEY)
  --cold-start-seconds N   answer 503 for so long after the first request
  --idle-seconds N         cold again after so long without a request (default 0, never)
  --token-delay-ms N       pause before every token but the first
  --max-running N          sequences that run at once (default 256)
  --fast                   a fixed answer, for load tests
  --faults                 fail on demand (see README.md)
  --until-stdin-ends       stop when whoever started it is gone
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8000" },
      host: { type: "string", default: "127.0.0.1" },
      data: { type: "string", default: ".local/engine" },
      "api-key": { type: "string" },
      "cold-start-seconds": { type: "string", default: "0" },
      "idle-seconds": { type: "string", default: "0" },
      "token-delay-ms": { type: "string", default: "0" },
      "max-running": { type: "string", default: "256" },
      fast: { type: "boolean", default: false },
      faults: { type: "boolean", default: false },
      "until-stdin-ends": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const began = performance.now();
  // By environment, as vLLM takes it, a key stays out of the list of processes.
  const apiKey = values["api-key"] ?? process.env.VLLM_API_KEY;
  const engine = await startEngine({
    port: wholeNumber("port", values.port),
    host: values.host,
    dataFolder: values.data,
    coldStartSeconds: wholeNumber("cold-start-seconds", values["cold-start-seconds"]),
    idleSeconds: wholeNumber("idle-seconds", values["idle-seconds"]),
    tokenDelayMs: wholeNumber("token-delay-ms", values["token-delay-ms"]),
    maxRunning: wholeNumber("max-running", values["max-running"]),
    fast: values.fast,
    faults: values.faults,
    progress: (line) => process.stderr.write(`${line}\n`),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const seconds = Math.round(performance.now() - began) / 1000;
  process.stdout.write(`${JSON.stringify({ url: engine.url, ready_in_seconds: seconds })}\n`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void engine.close());
  }
  if (values["until-stdin-ends"]) {
    process.stdin.resume();
    process.stdin.unref();
    process.stdin.once("close", () => void engine.close());
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);
  return value;
}

main().catch((error: unknown) => {
  process.stderr.write(`engine: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
