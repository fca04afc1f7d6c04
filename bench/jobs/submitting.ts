// Taking a long Job in: how long the answer takes once the last byte was sent, and what it costs in
// memory.
import { execFileSync } from "node:child_process";
import { request } from "node:http";
import type { Stack } from "../../test/e2e/stack-process.ts";

const SAMPLE_EVERY_MS = 100;

export interface Submitted {
  bytes: number;
  /** From the last byte that was sent to the answer. */
  answeredMs: number;
  /** Of workerd, in MB: before, and at most meanwhile. */
  memory: { before: number; most: number };
}

export async function submitLines(
  { api, key }: Stack,
  count: number,
  workerd: number,
): Promise<Submitted> {
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      ...{ custom_id: `line-${at}`, method: "POST", url: "/v1/completions" },
      body: { model: "local", prompt: `Line ${at}: Call me`, max_tokens: 16 },
    }),
  );
  const text = Buffer.from(`${lines.join("\n")}\n`);
  const before = memoryOf(workerd);
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, memoryOf(workerd));
  }, SAMPLE_EVERY_MS);
  const answeredMs = await send(`${api}/jobs`, key, text);
  clearInterval(sampling);
  return { bytes: text.length, answeredMs, memory: { before, most } };
}

function send(url: string, key: string, text: Buffer): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...{ "content-type": "application/x-ndjson", "content-length": text.length },
  };
  return new Promise((answer, fail) => {
    let sentAt = 0;
    const call = request(url, { method: "POST", headers }, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode === 200) answer(performance.now() - sentAt);
        else fail(new Error(`submitting was answered ${response.statusCode}`));
      });
    });
    call.on("error", fail);
    call.end(text, () => {
      sentAt = performance.now();
    });
  });
}

function memoryOf(pid: number): number {
  const kilobytes = execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Math.round(Number(kilobytes) / 1_024);
}
