// `kill -9`, and what stands up again afterwards.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { learnedModel, type StackProcess, startStack } from "../e2e/stack-process.ts";

/** Short, so that a test need not wait long for what a crash leaves set aside. */
const HOLD_LEASE_SECONDS = 3;

export interface EngineProcess {
  url: string;
  key: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** The engine as a process of its own, which outlives the gateway or is killed before it. */
export async function startEngineProcess(
  options: { tokenDelayMs: number; port?: number; key?: string } = { tokenDelayMs: 0 },
): Promise<EngineProcess> {
  const { tokenDelayMs, port = 0, key = randomBytes(16).toString("hex") } = options;
  const args = [
    resolve(import.meta.dirname, "../../infra/local/engine/main.ts"),
    ...["--port", String(port), "--data", learnedModel],
    ...["--token-delay-ms", String(tokenDelayMs), "--faults", "--until-stdin-ends"],
  ];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, VLLM_API_KEY: key },
  });
  const ended = once(child, "exit");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    key,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A stack before an engine of its own, as often as it is started on the same data and port. */
export class MortalStack {
  readonly #engine: EngineProcess;
  readonly #data: string;
  #running: StackProcess;

  private constructor(engine: EngineProcess, data: string, running: StackProcess) {
    this.#engine = engine;
    this.#data = data;
    this.#running = running;
  }

  static async start(engine: EngineProcess, data: string): Promise<MortalStack> {
    return new MortalStack(engine, data, await launch(engine, data, 0));
  }

  get stack() {
    return this.#running.stack;
  }

  /** Kills workerd first, so that nothing of the gateway has a chance to end well. */
  async kill(): Promise<void> {
    const { child } = this.#running;
    if (child.pid === undefined) throw new Error("the stack has no process");
    const ended = once(child, "exit");
    process.kill(workerdOf(child.pid), "SIGKILL");
    child.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    const port = Number(new URL(this.stack.app).port);
    this.#running = await launch(this.#engine, this.#data, port);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }
}

function launch({ url, key }: EngineProcess, data: string, port: number): Promise<StackProcess> {
  return startStack({ data, port, engine: { url, key }, holdLeaseSeconds: HOLD_LEASE_SECONDS });
}

/** Of a stack, by the process that `startStack` began. */
export function workerdOf(parent: number): number {
  const processes = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  for (const line of processes.split("\n")) {
    const [pid, ppid, command = ""] = line.trim().split(/\s+/);
    if (Number(ppid) === parent && command.endsWith("workerd")) return Number(pid);
  }
  throw new Error("the stack runs no workerd");
}
