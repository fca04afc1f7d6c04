// Which addresses webhooks may be sent to, as a URL parser reads them.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeAddress } from "../../src/core/outgoing-address.ts";
import { numRuns } from "./property-runs.ts";

const judge = (url: string, loopback = false) => judgeAddress(new URL(url), { loopback });

describe("an address", () => {
  test.each([
    "https://example.com/hooks?x=1",
    "https://hooks.example.co.uk:8443/",
    "https://xn--bcher-kva.example.com/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://172.15.255.255/",
    "https://172.32.0.0/",
    "https://example.com./",
  ])("%s of the public internet is one", (url) => {
    expect(judge(url)).toBeNull();
  });

  test.each([
    ["http://example.com/", "no_https"],
    ["ftp://example.com/", "no_address"],
    ["data:text/plain,x", "no_address"],
    ["https://user@example.com/", "credentials"],
    ["https://:secret@example.com/", "credentials"],
  ])("%s is none: %s", (url, problem) => {
    expect(judge(url)).toBe(problem);
  });

  test.each([
    "https://localhost/",
    "https://LOCALHOST./",
    "https://intranet/",
    "https://metadata.google.internal/",
    "https://kubernetes.default.svc/",
    "https://printer.local/",
    "https://router.home.arpa/",
    "https://a.localhost/",
    "https://hidden.onion/",
  ])("%s has a name that no public place has", (url) => {
    expect(judge(url)).toBe("no_public_name");
  });

  test.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://0x7f.1/",
    "https://127.0.0.1./",
    "https://１２７.0.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://0/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a00:1]/",
    "https://[64:ff9b::a00:1]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::1]/",
    "https://[ff02::1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
  ])("%s leads inside", (url) => {
    expect(judge(url)).toBe("private");
  });
});

describe("every IPv4 address that is not public", () => {
  const within = (first: readonly number[], rest: number) =>
    fc
      .tuple(...Array.from({ length: rest }, () => fc.nat(255)))
      .map((bytes) => [...first, ...bytes]);
  const inside = fc.oneof(
    within([10], 3),
    within([127], 3),
    within([0], 3),
    within([169, 254], 2),
    within([192, 168], 2),
    fc.integer({ min: 16, max: 31 }).chain((second) => within([172, second], 2)),
    fc.integer({ min: 64, max: 127 }).chain((second) => within([100, second], 2)),
    fc.integer({ min: 224, max: 255 }).chain((first) => within([first], 3)),
  );
  /** Dotted with each byte in one of three bases, or one number in one of three. */
  const bases = [
    (value: number) => String(value),
    (value: number) => `0x${value.toString(16)}`,
    (value: number) => `0${value.toString(8)}`,
  ] as const;
  const base = fc.constantFrom(...bases);
  const numberOf = (bytes: readonly number[]) => bytes.reduce((all, byte) => all * 256 + byte, 0);
  const written = inside.chain((bytes) =>
    fc.oneof(
      fc.tuple(base, base, base, base).map((of) => bytes.map((b, at) => of[at]?.(b)).join(".")),
      base.map((of) => of(numberOf(bytes))),
      base.map((of) => `${bytes[0]}.${of(numberOf(bytes.slice(1)))}`),
    ),
  );

  test("is refused in every notation", () => {
    const law = fc.property(written, (host) => judge(`https://${host}/`) === "private");
    fc.assert(law, { numRuns });
  });

  test("is refused within an IPv6 address too", () => {
    const prefixes = fc.constantFrom("::ffff:", "::", "64:ff9b::", "2002:");
    const law = fc.property(inside, prefixes, ([a = 0, b = 0, c = 0, d = 0], prefix) => {
      const group = (high: number, low: number) => (high * 256 + low).toString(16);
      const tail = prefix === "2002:" ? "::" : "";
      const host = `[${prefix}${group(a, b)}:${group(c, d)}${tail}]`;
      return judge(`https://${host}/`) === "private";
    });
    fc.assert(law, { numRuns });
  });
});

describe("where loopback is allowed", () => {
  test.each([
    "http://127.0.0.1:8080/x",
    "http://localhost:1/",
    "https://[::1]/",
    "http://127.9.9.9/",
  ])("%s is an address", (url) => expect(judge(url, true)).toBeNull());

  test.each([
    ["http://10.0.0.1/", "no_https"],
    ["https://10.0.0.1/", "private"],
    ["http://example.com/", "no_https"],
    ["http://u@127.0.0.1/", "credentials"],
    ["ftp://127.0.0.1/", "no_address"],
    ["http://127.0.0.1.example.com/", "no_https"],
  ])("%s is none: %s", (url, problem) => {
    expect(judge(url, true)).toBe(problem);
  });
});
