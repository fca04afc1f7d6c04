// Bodies as no SDK sends them. Each is refused by its right status, holds nothing, and the next
// request is served.
import { connect } from "node:net";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { checkedError, errorOf, newPerson, type Person } from "./person.ts";
import { RawRequest } from "./raw-request.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const MAX_BYTES = 8_000_000;
let person: Person;

beforeAll(async () => {
  person = await newPerson(stack);
});

afterEach(async () => {
  const { spent, held } = await person.settled();
  expect({ spent, held }).toEqual({ spent: 0, held: 0 });
});

function post(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${stack.api}/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${person.key}`,
      "content-type": "application/json",
      ...headers,
    },
    body,
  });
}

describe("a body of another type is a 415", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "%j",
    async (type) => {
      const body = new TextEncoder().encode('{"model": "local", "prompt": "a"}');
      const response = await post(body, { "content-type": type });
      expect(response.status).toBe(415);
      expect((await errorOf(response)).code).toBe("unsupported_media_type");
    },
  );
});

describe("a body that is no JSON object is a 400", () => {
  it.each([
    "",
    "{",
    '{"model": "local", "prompt": "sesame"',
    '{"model": "local", "prompt": "sesame",}',
    "{'model': 'local'}",
    '{"max_tokens": NaN}',
    "null",
    "[]",
    '"sesame"',
    "3",
    "[".repeat(200_000),
    `{"prompt": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  ])("%.40j", async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error.code).toBe("invalid_request");
    expect(error.message).not.toContain("sesame");
  });

  it("nor one that is not UTF-8", async () => {
    const text = new TextEncoder().encode('{"model": "local", "prompt": "ab"}');
    for (const bad of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      const body = new Uint8Array([...text.subarray(0, -3), ...bad, ...text.subarray(-3)]);
      const response = await post(body);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).code).toBe("invalid_request");
    }
  });
});

describe("numbers and names out of bounds are named", () => {
  it.each([
    { field: "max_tokens", value: "1e999" },
    { field: "max_tokens", value: "-1e999" },
    { field: "max_tokens", value: "9007199254740993" },
    { field: "seed", value: "9007199254740993" },
    { field: "seed", value: "-1" },
    { field: "seed", value: "1.5" },
    { field: "n", value: "1e300" },
    { field: "temperature", value: "1e-320" },
    { field: "top_k", value: "123456789012345678901234567890" },
    { field: "logit_bias", value: '{"99999999999999999999": 1}' },
    { field: "logit_bias", value: '{"constructor": 1}' },
    { field: "__proto__", value: '{"max_tokens": 4}' },
    { field: "constructor", value: "1" },
    { field: "toString", value: "1" },
  ])("$field: $value", async ({ field, value }) => {
    const response = await post(`{"model": "local", "prompt": "sesame", "${field}": ${value}}`);
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error.code).toBe("invalid_request");
    expect(error.param?.split(/[.[]/)[0]).toBe(field);
    expect(error.message).not.toContain("sesame");
  });
});

describe("a body of more than 8 MB is a 413", () => {
  const spaces = " ".repeat(65_536);

  it("by the byte: at the bound it is read, one above it is not", async () => {
    expect((await post(" ".repeat(MAX_BYTES))).status).toBe(400);
    const response = await post(" ".repeat(MAX_BYTES + 1));
    expect(response.status).toBe(413);
    expect((await errorOf(response)).code).toBe("request_too_large");
  });

  it("counted while reading where nothing says its length, before it has ended", async () => {
    const request = new RawRequest(person, '{"model": "local", "prompt": "');
    for (let bytes = 0; bytes <= MAX_BYTES; bytes += spaces.length) request.write(spaces);
    const { status, body } = await request.answered();
    expect(status).toBe(413);
    expect(checkedError(JSON.parse(body)).code).toBe("request_too_large");
    request.leave();
  });

  it("also by a length that claims more than comes", async () => {
    const request = new RawRequest(person, spaces, { "content-length": String(10 * MAX_BYTES) });
    for (let bytes = 0; bytes <= MAX_BYTES; bytes += spaces.length) request.write(spaces);
    expect((await request.answered()).status).toBe(413);
    request.leave();
  });

  it("on the admin API at 64 KB", async () => {
    const response = await fetch(`${stack.api}/admin/people`, {
      method: "POST",
      headers: { authorization: `Bearer ${stack.adminKey}`, "content-type": "application/json" },
      body: " ".repeat(65_537),
    });
    expect(response.status).toBe(413);
    expect((await errorOf(response)).code).toBe("request_too_large");
  });
});

describe("a body that is not as long as it says", () => {
  it("reaches no engine", async () => {
    const { received } = await engine.counters();
    const head =
      `POST /v1/completions HTTP/1.1\r\nhost: ${new URL(stack.app).host}\r\n` +
      `authorization: Bearer ${person.key}\r\ncontent-type: application/json\r\n`;
    const part = '{"model": "local", "prompt": "a"';
    const whole = `${part}}`;
    const cutOff = [
      `content-length: 1000\r\n\r\n${whole}`,
      `content-length: 1000\r\n\r\n${part}`,
      `content-length: 10\r\n\r\n${whole}`,
      `transfer-encoding: chunked\r\n\r\n${whole.length.toString(16)}\r\n${whole}\r\n`,
      `transfer-encoding: chunked\r\n\r\nzz\r\n${whole}\r\n`,
    ];
    for (const rest of cutOff) {
      const answer = await send(head + rest);
      if (answer !== "") expect(answer).toMatch(/^HTTP\/1\.1 [45]00 /);
    }
    expect((await engine.counters()).received).toBe(received);
  });
});

/** Sends these bytes, ends, and returns what came back. */
function send(bytes: string): Promise<string> {
  const { hostname, port } = new URL(stack.app);
  return new Promise((answer) => {
    let seen = "";
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on("data", (data) => {
      seen += data.toString();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => answer(seen));
  });
}
