// docs/how-to/run-a-job.md, block by block, as somebody pastes it: with their own address and key.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { newPerson } from "./person.ts";

const stack = inject("stack");
const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const markdown = readFileSync(join(root, "docs/how-to/run-a-job.md"), "utf8");

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "continuo-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All blocks of a language, one after the other, for a person of their own. */
async function blocksFor(language: string): Promise<string> {
  const { key } = await newPerson(stack);
  const fence = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs");
  const blocks = [...markdown.matchAll(fence)].map(([, block]) => block ?? "");
  expect(blocks).not.toEqual([]);
  return blocks.join("").replaceAll("http://127.0.0.1:8787", stack.app).replaceAll("ctn_…", key);
}

async function runAs(name: string, text: string, command: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const { stdout } = await run(command, [name], { cwd: folder });
  return stdout;
}

function customIds(lines: string): string[] {
  const results = lines.trimEnd().split("\n");
  return results.map((line) => {
    const { custom_id, response } = JSON.parse(line);
    expect(response.body.choices[0].text).toBeTypeOf("string");
    return custom_id;
  });
}

it("the lines of curl submit both ways, wait, and write the results", async () => {
  await runAs("job.sh", await blocksFor("sh"), "bash");
  const results = readFileSync(join(folder, "results.jsonl"), "utf8");
  expect(customIds(results)).toEqual(["item-0", "item-1"]);
});

it("the TypeScript of the OpenAI SDK prints the results of a batch", async () => {
  const printed = await runAs("batch.ts", await blocksFor("ts"), process.execPath);
  expect(customIds(printed.trimEnd())).toEqual(["prompt-0", "prompt-1"]);
});

it("plain fetch prints the results", async () => {
  const printed = await runAs("job.mjs", await blocksFor("js"), process.execPath);
  expect(customIds(printed.trimEnd())).toEqual(["item-0", "item-1"]);
});
