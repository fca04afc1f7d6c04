// What the middleware refuses as a whole, and what is none of its business.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BundleClient, KEY } from "./bundle-client.ts";
import { allFrames } from "./bundle-frames.ts";
import { type BundleServer, describeUnderUvicorn, startBundleServer } from "./bundle-process.ts";

const LINES_MAX = 64;
const BODY_MAX_BYTES = 16 * 1024 * 1024;

const error = (code: number, type: string, message: string) => ({
  error: { message, type, param: null, code },
});

let server: BundleServer;
let client: BundleClient;

describeUnderUvicorn("a bundle", () => {
  beforeAll(async () => {
    server = await startBundleServer({ key: KEY });
    client = new BundleClient(server.url);
  });
  afterAll(() => server?.stop());

  test("has at least one line", async () => {
    for (const body of ["", "\n", " \r\n\t\n"]) {
      const response = await client.post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(
        error(400, "Bad Request", `A bundle has 1 to ${LINES_MAX} lines.`),
      );
    }
  });

  test("counts no blank lines", async () => {
    const body = '\n\r\n{"parts":["a"]}\r\n\n  {"parts":["b"]}\n';
    const frames = await allFrames(await client.post(body));
    expect(new Map(frames.map((frame) => [frame.line, frame.body]))).toEqual(
      new Map([
        [0, "a"],
        [1, "b"],
      ]),
    );
  });

  test("has as many lines as are allowed, and not one more", async () => {
    const lines = Array.from({ length: LINES_MAX }, () => ({}));
    const numbers = (await client.answers(lines)).map(({ line }) => line);
    expect(numbers).toEqual([...lines.keys()]);
    expect((await client.bundle([...lines, {}])).status).toBe(400);
  });

  test("has as many bytes as are allowed", async () => {
    const most = '{"parts":["fits"]}'.padEnd(BODY_MAX_BYTES);
    expect(await allFrames(await client.post(most))).toMatchObject([{ status: 200, body: "fits" }]);
  });

  test("with a byte more is refused without waiting for its end, which may never come", async () => {
    const endless = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(BODY_MAX_BYTES).fill(32));
        controller.enqueue(new Uint8Array(1));
      },
    });
    const response = await client.post(endless, { duplex: "half" } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual(
      error(413, "Content Too Large", `A bundle has at most ${BODY_MAX_BYTES} bytes.`),
    );
  });

  test.each(["GET", "PUT", "OPTIONS"])("is not asked for by %s", async (method) => {
    const response = await client.ask(method, "/v1/completions/bundle", null);
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
    const body = method === "POST" ? '{"parts":["a ","single"," one"]}' : null;
    const response = await client.ask(method, path, body);
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});
