// Which addresses webhooks may be sent to: those of the public internet, over TLS. Judges the parts of
// an address that a URL parser has read, which writes an IPv4 or IPv6 address in one way, however it was
// given. A name that leads somewhere private is the runtime's to refuse: it alone knows where a name
// leads at the moment of the call. No I/O.
import type { AddressProblem } from "../contract/outgoing-webhooks.ts";

/** As URL has them: `https:`, a host without its port, IPv6 in brackets. */
export interface AddressParts {
  protocol: string;
  username: string;
  password: string;
  hostname: string;
}

/** Null where it is one. `loopback` also lets pass http and https to this machine itself. */
export function judgeAddress(
  { protocol, username, password, hostname }: AddressParts,
  { loopback }: { loopback: boolean },
): AddressProblem | null {
  if (username !== "" || password !== "") return "credentials";
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const isWeb = protocol === "https:" || protocol === "http:";
  if (loopback && isWeb && isLoopback(host)) return null;
  if (protocol !== "https:") return isWeb ? "no_https" : "no_address";
  const ipv4 = ipv4Of(host);
  if (ipv4 !== null) return isAmong(ipv4, notPublicIpv4) ? "private" : null;
  if (host.startsWith("[")) return isPublicIpv6(host.slice(1, -1)) ? null : "private";
  return isPublicName(host) ? null : "no_public_name";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** What IANA's registry of special-purpose addresses says of IPv4, multicast and the reserved. */
const notPublicIpv4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local; clouds answer here with their machines' secrets.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

const IPV4_BITS = 32;

function ipv4Of(host: string): number | null {
  const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1);
  if (bytes === undefined) return null;
  return bytes.reduce((number, byte) => number * 256 + Number(byte), 0);
}

function isAmong(ipv4: number, ranges: readonly (readonly [string, number])[]): boolean {
  return ranges.some(([start, bits]) => {
    const size = 2 ** (IPV4_BITS - bits);
    return Math.floor(ipv4 / size) === Math.floor((ipv4Of(start) ?? 0) / size);
  });
}

/** Of the one block that is given out, what leads to an IPv4 address inside, or nowhere. */
const notPublicIpv6 = [
  // Teredo and the other protocols' block.
  { first: 0x2001, second: [0, 0x01ff] },
  // For documents.
  { first: 0x2001, second: [0x0db8, 0x0db8] },
  // 6to4.
  { first: 0x2002, second: [0, 0xffff] },
  { first: 0x3fff, second: [0, 0x0fff] },
] as const;

/** 2000::/3 is all that is public; private, local, mapped and translated addresses lie outside. */
function isPublicIpv6(address: string): boolean {
  // The parser writes no `::` before the first two groups of such an address, save for `2001::`.
  const [first = 0, second = 0] = address
    .split(":")
    .map((group) => Number.parseInt(group || "0", 16));
  if (first < 0x2000 || first > 0x3fff) return false;
  return !notPublicIpv6.some((range) => {
    return range.first === first && second >= range.second[0] && second <= range.second[1];
  });
}

/** Ends of names that no public name has: RFC 6761, 6762, 7686, 8375, 9476, and what networks use. */
const privateEnds: ReadonlySet<string> = new Set([
  ..."localhost local localdomain internal intranet private corp home lan svc consul".split(" "),
  ..."test example invalid onion alt arpa".split(" "),
]);

function isPublicName(host: string): boolean {
  const labels = host.split(".");
  if (labels.length < 2 || labels.some((label) => label === "")) return false;
  return !privateEnds.has(labels.at(-1) ?? "");
}
