// Starts a server as a process of its own, knows when it listens, and ends it with all its children.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 5_000;
const EXIT_LAG_MS = 500;
const POLL_MS = 50;
/** Enough to see why a server did not start. */
const KEPT_OUTPUT_CHARACTERS = 2_000;

export interface Command {
  name: string;
  file: string;
  args: readonly string[];
  environment?: Readonly<Record<string, string>>;
  directory?: string;
}

/** Groups not yet known to be gone; none outlives this process, however it ends. */
const groups = new Set<number>();
process.once("exit", () => {
  for (const group of groups) killGroup(group);
});

export class RunningProcess {
  readonly pid: number;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = "";

  private constructor(name: string, child: ChildProcess, pid: number) {
    this.pid = pid;
    this.#name = name;
    this.#child = child;
    this.#exited = once(child, "exit");
    // Of stdout nothing is kept: Continuo's ready line holds keys. It is read, so that it never fills.
    child.stdout?.resume();
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARACTERS);
    });
    groups.add(pid);
  }

  static start(command: Command): RunningProcess {
    const child = spawn(command.file, command.args, {
      cwd: command.directory,
      env: { ...process.env, ...command.environment },
      stdio: ["ignore", "pipe", "pipe"],
      // Its own group, so that stop() reaches the children of a server that leaves them behind.
      detached: true,
    });
    child.on("error", () => undefined);
    if (child.pid === undefined) throw new Error(`${command.name} could not be started`);
    return new RunningProcess(command.name, child, child.pid);
  }

  /** The first line of its output that is a JSON object, by which it says that it is ready. */
  async readyLine(): Promise<Record<string, unknown>> {
    const stdout = this.#child.stdout;
    if (stdout === null) throw new Error(`${this.#name} has no output to read`);
    const lines = createInterface({ input: stdout });
    const found = new Promise<Record<string, unknown>>((resolve) => {
      lines.on("line", (line) => {
        const value = jsonObject(line);
        if (value !== null) resolve(value);
      });
    });
    try {
      return await this.#beforeItEnds(found);
    } finally {
      lines.removeAllListeners("line");
    }
  }

  /** For servers that say nothing: until the port takes a connection. */
  async listening(host: string, port: number): Promise<void> {
    const given = new AbortController();
    try {
      await this.#beforeItEnds(untilOpen(host, port, given.signal));
    } finally {
      given.abort();
    }
  }

  /** How it ended, if it did so unasked, with the last it said. */
  async ending(): Promise<string | null> {
    // Its connections close a moment before its end is told.
    await Promise.race([this.#exited, pause(EXIT_LAG_MS)]);
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) return null;
    return `${this.#name} ended (${signalCode ?? exitCode}):\n${this.#output.trim()}`;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGTERM");
      await Promise.race([this.#exited, pause(STOP_LIMIT_MS)]);
    }
    killGroup(this.pid);
    groups.delete(this.pid);
  }

  async #beforeItEnds<T>(ready: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const tooLate = pause(START_LIMIT_MS, timer.signal).then(() => "did not get ready in time");
    const ended = this.#exited.then(() => "ended before it was ready");
    try {
      const outcome = await Promise.race([ready.then((value) => ({ value })), tooLate, ended]);
      if (typeof outcome !== "string") return outcome.value;
      throw new Error(`${this.#name} ${outcome}:\n${this.#output.trim()}`);
    } finally {
      timer.abort();
    }
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The group is gone already, which is what was wanted.
  }
}

export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function untilOpen(host: string, port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await takesConnection(host, port))) await pause(POLL_MS);
}

function takesConnection(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    signal?.addEventListener("abort", () => clearTimeout(timer));
  });
}

function jsonObject(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
