// Runs a page's code as it is printed: only the example's address and key are those of the stack.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodeBlock } from "./pages.ts";
import { root } from "./pages.ts";

/** Another Python, such as one with the real SDK. */
const PYTHON = process.env.PYTHON ?? "python3";

/** With the real SDK where this Python has it, else with a stand-in that sends the same requests. */
const hasSdk = spawnSync(PYTHON, ["-c", "import openai"]).status === 0;

/** Far more than any takes, a Job included; one that takes longer waits for what will not come. */
export const BLOCK_MOST_MS = 120_000;

export interface Place {
  /** Where all blocks of one page run, one after the other. */
  folder: string;
  origin: string;
  key: string;
}

export interface Run {
  status: number | null;
  output: string;
}

export function newPlace(origin: string, key: string): Place {
  const folder = mkdtempSync(join(tmpdir(), "continuo-docs-"));
  // Where Node looks for the SDK.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return { folder, origin, key };
}

export function leave({ folder }: Place): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Whether `block` can be run; other languages are data. */
export function isProgram({ language }: CodeBlock): boolean {
  return Object.hasOwn(commands, language);
}

export function runBlock(block: CodeBlock, place: Place): Promise<Run> {
  const command = commands[block.language as keyof typeof commands];
  const name = `block-${block.number}`;
  const text = block.text
    .replaceAll("http://127.0.0.1:8787", place.origin)
    .replaceAll("ctn_…", place.key);
  return command(text, name, place);
}

const commands = {
  /** A command of the project runs in it, any other in the page's own folder. */
  sh: (text: string, _name: string, { folder }: Place) => {
    const isOfProject = /^(npm|npx|python3 infra)/m.test(text);
    // A page's blocks are one shell to whoever pastes them: what one sets, the next one has.
    const state = join(folder, "shell");
    const session = `[ ! -f ${state} ] || . ${state}\nset -a\n${text}\nexport -p > ${state}`;
    return run("bash", ["-euo", "pipefail", "-c", session], isOfProject ? root : folder);
  },
  python: (text: string, name: string, place: Place) =>
    run(PYTHON, [saved(text, `${name}.py`, place)], place.folder),
  ts: (text: string, name: string, place: Place) =>
    run(process.execPath, [saved(text, `${name}.mts`, place)], place.folder),
  js: (text: string, name: string, place: Place) =>
    run(process.execPath, [saved(text, `${name}.mjs`, place)], place.folder),
};

function saved(text: string, file: string, { folder }: Place): string {
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

async function run(command: string, args: string[], cwd: string): Promise<Run> {
  const standIn = join(import.meta.dirname, "openai-stand-in");
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...(!hasSdk && { PYTHONPATH: standIn }), PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that a loop ends with all that it has started.
    detached: true,
  });
  const giveUp = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, BLOCK_MOST_MS);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(giveUp);
  return { status, output };
}
