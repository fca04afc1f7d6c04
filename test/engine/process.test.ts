import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { loadOrTrain } from "../../infra/local/engine/model-file.ts";
import { DATA_FOLDER } from "./calling.ts";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

function run(...options: string[]) {
  const main = "infra/local/engine/main.ts";
  const child = spawn(process.execPath, [main, "--port", "0", "--data", DATA_FOLDER, ...options]);
  ended.push(() => child.kill("SIGKILL"));
  return child;
}

test("the process says in one JSON line that it listens, and stops on SIGTERM in mid-stream", async () => {
  const child = run("--token-delay-ms", "5");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const ready = JSON.parse(line) as { url: string; ready_in_seconds: number };
  expect(ready.ready_in_seconds).toBeLessThan(10);
  const response = await fetch(`${ready.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt: "a", max_tokens: 8000, stream: true, ignore_eos: true }),
  });
  response.text().catch(() => undefined);
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
});

test("a wrong option is said in one sentence", async () => {
  const child = run("--token-delay-ms", "soon");
  const [line] = (await once(createInterface(child.stderr), "line")) as [string];
  expect(line).toBe("engine: --token-delay-ms must be a whole number");
  expect((await once(child, "exit"))[0]).toBe(1);
});

test("the kept model is read back equal, and a broken file is learned anew", () => {
  const folder = mkdtempSync(join(tmpdir(), "engine-"));
  ended.push(() => rmSync(folder, { recursive: true }));
  const lines: string[] = [];
  writeFileSync(join(folder, "ngram.bin"), "not a model");
  const learned = loadOrTrain(folder, (line) => lines.push(line));
  expect(lines.length).toBeGreaterThan(0);
  const progress = lines.length;
  const read = loadOrTrain(folder, (line) => lines.push(line));
  expect(lines).toHaveLength(progress);
  const bytes = ({ buffer, byteOffset, byteLength }: Uint32Array | Uint16Array) =>
    Buffer.from(buffer, byteOffset, byteLength);
  const arrays = (levels: typeof learned.levels) =>
    levels.flatMap(({ tokens, counts, childStarts }) => [tokens, counts, childStarts].map(bytes));
  const wanted = arrays(learned.levels);
  arrays(read.levels).forEach((array, i) => {
    expect(array.equals(wanted[i] ?? Buffer.alloc(0))).toBe(true);
  });
});
