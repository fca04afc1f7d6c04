import { expect, it } from "vitest";
import { ResponseReader } from "../../bench/load/response-reader.ts";

const sized = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello\nworld";
const chunked =
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nhello\n\r\n5;x=1\r\nworld\r\n0\r\nt: 1\r\n\r\n";

it.each([
  ["with a length", sized],
  ["in chunks", chunked],
])("an answer %s reads the same wherever the bytes are cut", (_, text) => {
  for (let cut = 1; cut < text.length; cut += 1) {
    let body = "";
    const reader = new ResponseReader((bytes) => {
      body += bytes.toString("latin1");
    });
    expect(reader.push(Buffer.from(text.slice(0, cut)))).toBe(false);
    expect(reader.push(Buffer.from(text.slice(cut)))).toBe(true);
    expect({ status: reader.status, body }).toEqual({ status: 200, body: "hello\nworld" });
    expect(reader.bodyBytes).toBe(11);
  }
});

it("byte by byte, the answer ends with its last byte and not before", () => {
  const reader = new ResponseReader(() => undefined);
  const ends = [...chunked].map((character) => reader.push(Buffer.from(character)));
  expect(ends.indexOf(true)).toBe(chunked.length - 1);
});

it("an answer without a length or chunks is refused, since its end could not be told", () => {
  const reader = new ResponseReader(() => undefined);
  expect(() => reader.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"))).toThrow("neither");
});

it("bytes after the end are refused rather than counted to the next answer", () => {
  const reader = new ResponseReader(() => undefined);
  expect(() => reader.push(Buffer.from(`${sized}more`))).toThrow("after the end");
});
