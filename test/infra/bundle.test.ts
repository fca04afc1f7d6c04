import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../e2e/until.ts";
import { allFrames, type Frame, framesOf } from "./bundle-frames.ts";
import { type BundleServer, bundlePython, startBundleServer } from "./bundle-process.ts";

const KEY = "a-key";
const LINES_MAX = 64;
const BODY_MAX_BYTES = 16 * 1024 * 1024;

let server: BundleServer;

/** What the scripted app does for one line; bundle-app/scripted.py. */
interface Line {
  request_id?: string;
  until?: string;
  when_left?: string;
  parts?: string[];
  status?: number;
  retry_after?: string;
  raises?: string;
  breaks_after?: string;
  shows?: boolean;
}

function post(body: BodyInit, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/v1/completions/bundle`, {
    method: "POST",
    body,
    ...init,
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/x-ndjson",
      ...init.headers,
    },
  });
}

function bundle(lines: readonly Line[], init?: RequestInit): Promise<Response> {
  return post(lines.map((line) => JSON.stringify(line)).join("\n"), init);
}

async function answersOf(lines: readonly Line[], init?: RequestInit): Promise<Frame[]> {
  return allFrames(await bundle(lines, init));
}

const happen = (event: string) => fetch(`${server.url}/events/${event}`, { method: "POST" });
const journal = async () => (await (await fetch(`${server.url}/journal`)).json()) as string[];
const journalHas = (...lines: string[]) =>
  until("the journal's lines", journal, (seen) => lines.every((line) => seen.includes(line)));
const error = (code: number, type: string, message: string) => ({
  error: { message, type, param: null, code },
});

// CI installs them. Without them these are shown as skipped, never as passed.
describe.runIf(bundlePython !== null || process.env.CI !== undefined)("a bundle", () => {
  beforeAll(async () => {
    server = await startBundleServer({ key: KEY });
  });
  afterAll(() => server?.stop());

  test("begins at once, and each line is answered as it ends, while others still run", async () => {
    const response = await bundle([
      { until: "first" },
      { until: "second" },
      { parts: ["at once"] },
      { until: "third" },
    ]);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/vnd.continuo.bundle");
    const frames = framesOf(response);
    const next = async () => ((await frames.next()).value as Frame).line;
    expect(await next()).toBe(2);
    for (const [event, line] of [
      ["third", 3],
      ["first", 0],
      ["second", 1],
    ] as const) {
      await happen(event);
      expect(await next()).toBe(line);
    }
    expect(await frames.next()).toEqual({ done: true, value: undefined });
  });

  test("is, byte for byte, a head, the line's own bytes and a newline", async () => {
    const parts = ['{"text":"é\u{1F600}"}\n', "", "\n{\n"];
    const bytes = Buffer.byteLength(parts.join(""));
    const response = await bundle([{ parts }]);
    expect(await response.text()).toBe(
      `{"line":0,"status":200,"bytes":${bytes}}\n${parts.join("")}\n`,
    );
  });

  test("says when to ask again, for a line that was told so", async () => {
    const response = await bundle([{ status: 503, retry_after: "3", parts: ["later"] }]);
    expect(await response.text()).toBe(
      '{"line":0,"status":503,"bytes":5,"retry_after":"3"}\nlater\n',
    );
  });

  test("answers a line that broke with a 500 without bytes, and the others as ever", async () => {
    const secret = "a prompt that nobody may read";
    const frames = await answersOf([
      { raises: secret },
      { parts: ["whole"] },
      { parts: [secret], breaks_after: secret },
    ]);
    expect(frames.toSorted((a, b) => a.line - b.line)).toEqual([
      { line: 0, status: 500, bytes: 0, body: "" },
      { line: 1, status: 200, bytes: 5, body: "whole" },
      { line: 2, status: 500, bytes: 0, body: "" },
    ]);
    for (const type of ["RuntimeError", "ValueError"]) {
      await until(type, server.log, (log) => log.includes(type));
    }
    expect(server.log()).not.toContain(secret);
  });

  test("has its key judged for each line", async () => {
    const frames = await answersOf([{}, {}], { headers: { authorization: "Bearer another" } });
    const body = '{"error":"Unauthorized"}';
    const refused = { status: 401, bytes: body.length, body };
    expect(frames.toSorted((a, b) => a.line - b.line)).toEqual([
      { line: 0, ...refused },
      { line: 1, ...refused },
    ]);
  });

  test("makes each line a request of its own to the one route, without the id of the whole", async () => {
    const line = '{"shows":true,"request_id":"é"}';
    const headers = { "x-request-id": "the whole", "x-other": "passed on" };
    // Streamed, so that the whole has a transfer-encoding and no length.
    const body = new Blob([`\n${line}\n`]).stream();
    const [frame] = await allFrames(await post(body, { headers, duplex: "half" } as RequestInit));
    const shown = JSON.parse(frame?.body ?? "") as Record<string, unknown>;
    expect(shown).toMatchObject({
      path: "/v1/completions",
      raw_path: "/v1/completions",
      query: "",
    });
    const seen = shown.headers as [string, string][];
    expect(seen).toContainEqual(["x-other", "passed on"]);
    const own = seen.filter(([name]) => /^content-|^transfer-|^x-request/.test(name));
    expect(own).toEqual([
      ["content-type", "application/json"],
      ["content-length", String(Buffer.byteLength(line))],
    ]);
  });

  test("gives each line a state of its own, with what the server put there", async () => {
    const asked = ["one", "other"].map((request_id) => ({
      request_id,
      until: "both wrote their name",
      shows: true,
    }));
    const response = await bundle(asked);
    await journalHas("one began", "other began");
    await happen("both wrote their name");
    const frames = (await allFrames(response)).toSorted((a, b) => a.line - b.line);
    expect(frames.map(({ body }) => JSON.parse(body).state)).toEqual([
      { server: "scripted", owner: "one" },
      { server: "scripted", owner: "other" },
    ]);
  });

  test("whose client leaves is stopped line by line, and waits for each to have stopped", async () => {
    const leaving = new AbortController();
    const response = await bundle(
      [
        { request_id: "slow", until: "never", when_left: "slow has stopped" },
        { request_id: "quick", until: "never" },
        { parts: ["before it left"] },
      ],
      { signal: leaving.signal },
    );
    expect((await framesOf(response).next()).value).toMatchObject({ line: 2 });
    await journalHas("slow began", "quick began");
    const before = (await journal()).filter((line) => line === "bundle ended").length;
    leaving.abort();
    await journalHas("quick left");
    const ends = async () => (await journal()).filter((line) => line === "bundle ended").length;
    expect(await ends()).toBe(before);
    await happen("slow has stopped");
    await until("the end of the whole", ends, (count) => count === before + 1);
    // Told, not cancelled: a route that is cancelled leaves vLLM generating.
    const seen = await journal();
    expect(seen.filter((line) => line.startsWith("slow "))).toEqual(["slow began", "slow left"]);
    expect(seen).not.toContain("quick was cancelled");
  });

  test("that cannot be sent any more ends quietly, and its lines are stopped", async () => {
    const asked = [{ request_id: "unheard", until: "never" }, {}];
    // The head and the beginning of the body get through, the first frame does not.
    const headers = { "x-test-send-fails-at": "3" };
    await expect(answersOf(asked, { headers })).rejects.toThrow();
    await journalHas("unheard left");
    expect(server.log()).not.toContain("the client is gone");
  });

  test("with a client that leaves before it has said everything asks nothing", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const line = JSON.stringify({ request_id: "half said" });
    const head =
      "POST /v1/completions/bundle HTTP/1.1\r\nhost: test\r\ncontent-length: 1000\r\n\r\n";
    socket.end(`${head}${line}\n`);
    await once(socket.resume(), "close");
    await answersOf([{ request_id: "said afterwards" }]);
    expect(await journal()).toContain("said afterwards began");
    expect(await journal()).not.toContain("half said began");
  });

  test("shows that the server lives while no line has ended", async () => {
    const lively = await startBundleServer({ key: KEY, keepAliveSeconds: 0.05 });
    const answer = await fetch(`${lively.url}/v1/completions/bundle`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ until: "two signs" }),
    });
    const seen: unknown[] = [];
    for await (const frame of framesOf(answer)) {
      seen.push(frame === "alive" ? frame : frame.line);
      if (seen.length === 2) await fetch(`${lively.url}/events/two%20signs`, { method: "POST" });
    }
    expect(seen.slice(0, 2)).toEqual(["alive", "alive"]);
    expect(seen.at(-1)).toBe(0);
    await lively.stop();
  });

  test("has at least one line, where blank ones are none", async () => {
    for (const body of ["", "\n", " \r\n\t\n"]) {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(
        error(400, "Bad Request", `A bundle has 1 to ${LINES_MAX} lines.`),
      );
    }
    const frames = await allFrames(await post('\n\r\n{"parts":["a"]}\r\n\n  {"parts":["b"]}\n'));
    expect(new Map(frames.map(({ line, body }) => [line, body]))).toEqual(
      new Map([
        [0, "a"],
        [1, "b"],
      ]),
    );
  });

  test("has as many lines as are allowed, and not one more", async () => {
    const lines = Array.from({ length: LINES_MAX }, () => ({}));
    const frames = await answersOf(lines);
    expect(new Set(frames.map(({ line }) => line)).size).toBe(LINES_MAX);
    expect((await bundle([...lines, {}])).status).toBe(400);
  });

  test("has as many bytes as are allowed", async () => {
    const most = '{"parts":["fits"]}'.padEnd(BODY_MAX_BYTES);
    expect(await allFrames(await post(most))).toMatchObject([{ status: 200, body: "fits" }]);
  });

  test("with a byte more is refused without waiting for its end, which may never come", async () => {
    const endless = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(BODY_MAX_BYTES).fill(32));
        controller.enqueue(new Uint8Array(1));
      },
    });
    const response = await post(endless, { duplex: "half" } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual(
      error(413, "Content Too Large", `A bundle has at most ${BODY_MAX_BYTES} bytes.`),
    );
  });

  test.each(["GET", "PUT", "OPTIONS"])("is not asked for by %s", async (method) => {
    const headers = { authorization: `Bearer ${KEY}` };
    const response = await fetch(`${server.url}/v1/completions/bundle`, { method, headers });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await response.json()).toEqual(error(405, "Method Not Allowed", "Method Not Allowed"));
  });

  test.each([
    ["POST", "/v1/completions", 200, "a single one"],
    ["GET", "/v1/models", 200, "models"],
    ["POST", "/v1/completions/bundle/", 404, "Not Found"],
    ["GET", "/v1/completions", 405, "Method Not Allowed"],
  ])("is nothing to %s %s, which gets to vLLM as it came", async (method, path, status, text) => {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const body = method === "POST" ? { body: '{"parts":["a ","single"," one"]}' } : {};
    const response = await fetch(server.url + path, { method, headers, ...body });
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});
