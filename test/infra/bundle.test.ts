import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../e2e/until.ts";
import { BundleClient, KEY } from "./bundle-client.ts";
import { allFrames, type Frame, framesOf } from "./bundle-frames.ts";
import { type BundleServer, describeUnderUvicorn, startBundleServer } from "./bundle-process.ts";

let server: BundleServer;
let client: BundleClient;

describeUnderUvicorn("a bundle", () => {
  beforeAll(async () => {
    server = await startBundleServer({ key: KEY });
    client = new BundleClient(server.url);
  });
  afterAll(() => server?.stop());

  test("begins at once, and each line is answered as it ends, while others still run", async () => {
    const response = await client.bundle([
      { until: "first" },
      { until: "second" },
      { parts: ["at once"] },
      { until: "third" },
    ]);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/vnd.continuo.bundle");
    const frames = framesOf(response);
    const next = async () => ((await frames.next()).value as Frame).line;
    // Whatever holds a head back until a body begins has it.
    expect((await frames.next()).value).toBe("alive");
    expect(await next()).toBe(2);
    for (const [event, line] of [
      ["third", 3],
      ["first", 0],
      ["second", 1],
    ] as const) {
      await client.happen(event);
      expect(await next()).toBe(line);
    }
    expect(await frames.next()).toEqual({ done: true, value: undefined });
  });

  test("is, byte for byte, a head, the line's own bytes and a newline", async () => {
    const parts = ['{"text":"é\u{1F600}"}\n', "", "\n{\n"];
    const bytes = Buffer.byteLength(parts.join(""));
    const response = await client.bundle([{ parts }]);
    expect(await response.text()).toBe(
      `\n{"line":0,"status":200,"bytes":${bytes}}\n${parts.join("")}\n`,
    );
  });

  test("says when to ask again, for a line that was told so", async () => {
    const response = await client.bundle([{ status: 503, retry_after: "3", parts: ["later"] }]);
    expect(await response.text()).toBe(
      '\n{"line":0,"status":503,"bytes":5,"retry_after":"3"}\nlater\n',
    );
  });

  test("answers a line that broke with a 500 without bytes, and the others as ever", async () => {
    const secret = "a prompt that nobody may read";
    const frames = await client.answers([
      { raises: secret },
      { parts: ["whole"] },
      { parts: [secret], breaks_after: secret },
    ]);
    expect(frames).toEqual([
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
    const headers = { authorization: "Bearer another" };
    const body = '{"error":"Unauthorized"}';
    const refused = { status: 401, bytes: body.length, body };
    expect(await client.answers([{}, {}], { headers })).toEqual([
      { line: 0, ...refused },
      { line: 1, ...refused },
    ]);
  });

  test("makes each line a request of its own to the one route, without the id of the whole", async () => {
    const line = '{"shows":true,"request_id":"é"}';
    const headers = { "x-request-id": "the whole", "x-other": "passed on" };
    // Streamed, so that the whole has a transfer-encoding and no length.
    const body = new Blob([`\n${line}\n`]).stream();
    const response = await client.post(body, { headers, duplex: "half" } as RequestInit);
    const [frame] = await allFrames(response);
    const shown = JSON.parse(frame?.body ?? "") as Record<string, unknown>;
    const path = "/v1/completions";
    expect(shown).toMatchObject({ path, raw_path: path, query: "" });
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
    const answers = client.answers(asked);
    await client.journalHas("one began", "other began");
    await client.happen("both wrote their name");
    expect((await answers).map(({ body }) => JSON.parse(body).state)).toEqual([
      { server: "scripted", owner: "one" },
      { server: "scripted", owner: "other" },
    ]);
  });

  test("whose client leaves is stopped line by line, and waits for each to have stopped", async () => {
    const leaving = new AbortController();
    const response = await client.bundle(
      [
        { request_id: "slow", until: "never", when_left: "slow has stopped" },
        { request_id: "quick", until: "never" },
        { parts: ["before it left"] },
      ],
      { signal: leaving.signal, headers: { "x-test-name": "that was left" } },
    );
    const frames = framesOf(response);
    expect((await frames.next()).value).toBe("alive");
    expect((await frames.next()).value).toMatchObject({ line: 2 });
    await client.journalHas("slow began", "quick began");
    leaving.abort();
    expect(await client.journalHas("quick left")).not.toContain("bundle that was left ended");
    await client.happen("slow has stopped");
    // Told, not cancelled: a route that is cancelled leaves vLLM generating.
    const seen = await client.journalHas("bundle that was left ended");
    expect(seen.filter((line) => line.startsWith("slow "))).toEqual(["slow began", "slow left"]);
    expect(seen).not.toContain("quick was cancelled");
  });

  test("that cannot be sent any more ends quietly, and its lines are stopped", async () => {
    const asked = [{ request_id: "unheard", until: "never" }, {}];
    // The head and the beginning of the body get through, the first frame does not.
    const headers = { "x-test-send-fails-at": "3" };
    await expect(client.answers(asked, { headers })).rejects.toThrow();
    await client.journalHas("unheard left");
    expect(server.log()).not.toContain("the client is gone");
  });

  test("with a client that leaves before it has said everything asks nothing", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const head = [
      "POST /v1/completions/bundle HTTP/1.1",
      "host: test",
      `authorization: Bearer ${KEY}`,
      "x-test-name: half said",
      "content-length: 1000",
    ];
    const line = JSON.stringify({ request_id: "half said" });
    socket.end(`${head.join("\r\n")}\r\n\r\n${line}\n`);
    await once(socket.resume(), "close");
    const seen = await client.journalHas("bundle half said ended");
    expect(seen).not.toContain("half said began");
  });

  test("shows that the server lives while no line has ended", async () => {
    const another = await startBundleServer({ key: KEY, keepAliveSeconds: 0.05 });
    const asking = new BundleClient(another.url);
    const seen: unknown[] = [];
    for await (const frame of framesOf(await asking.bundle([{ until: "two signs" }]))) {
      seen.push(frame === "alive" ? frame : frame.line);
      if (seen.length === 2) await asking.happen("two signs");
    }
    expect(seen.slice(0, 2)).toEqual(["alive", "alive"]);
    expect(seen.at(-1)).toBe(0);
    await another.stop();
  });
});
