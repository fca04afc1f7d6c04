import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Answer } from "../../infra/local/engine/answer.ts";
import { BundleAnswer } from "../../infra/local/engine/bundle-answer.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Keeps what is written. */
class Connection extends EventEmitter implements Answer {
  readonly destroyed = false;
  readonly headersSent = true;
  readonly written: string[] = [];
  isOpen = true;

  writeHead(): void {}
  flushHeaders(): void {}
  write(chunk: string | Buffer): boolean {
    this.written.push(chunk.toString());
    return true;
  }
  end(): void {
    this.isOpen = false;
    this.emit("close");
  }
  destroy(): void {
    this.end();
  }
}

const frame = (line: number) => [`{"line":${line}}\n`, "answer", "\n"];
const framed = (line: number) => frame(line).join("");

test("frames of one turn leave in one write, and the last one ends the answer", () => {
  const connection = new Connection();
  const bundle = new BundleAnswer(connection, 3);
  bundle.add(frame(2));
  bundle.add([...frame(0), Buffer.from("é")]);
  vi.advanceTimersByTime(1);
  expect(connection.written).toEqual([`${framed(2)}${framed(0)}é`]);
  expect(connection.isOpen).toBe(true);
  bundle.add(frame(1));
  vi.advanceTimersByTime(1);
  expect(connection.isOpen).toBe(false);
});

test("a blank line breaks each silence of 10 s, counted from the last frame", () => {
  const connection = new Connection();
  const bundle = new BundleAnswer(connection, 2);
  vi.advanceTimersByTime(9_000);
  bundle.add(frame(0));
  vi.advanceTimersByTime(9_000);
  expect(connection.written).toEqual([framed(0)]);
  vi.advanceTimersByTime(11_500);
  expect(connection.written).toEqual([framed(0), "\n", "\n"]);
  bundle.add(frame(1));
  vi.advanceTimersByTime(60_000);
  expect(connection.written).toEqual([framed(0), "\n", "\n", framed(1)]);
});

test("a bundle that hangs does not even send blank lines", () => {
  const connection = new Connection();
  const fault = { fault: "bundle-hang", at: 1, ms: 0, retry_after: 0 } as const;
  const bundle = new BundleAnswer(connection, 2, fault);
  for (const line of [0, 1]) bundle.add(frame(line));
  vi.advanceTimersByTime(60_000);
  expect(connection.written).toEqual([framed(0)]);
  expect(connection.isOpen).toBe(true);
});
