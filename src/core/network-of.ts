// Which network an address stands for, when somebody behind it is counted. Decides only; no I/O.

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * An IPv4 address itself. Of IPv6 the first 64 bits: whoever has one such address has all 2^64 of its
 * network. Text that is no address stands for itself.
 */
export function networkOf(address: string): string {
  const text = address.toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  if (!/^[0-9a-f:]+$/.test(text) || !text.includes(":")) return text;
  const [head = "", tail] = text.split("::");
  const groups = [...parts(head), ...zeros(tail === undefined ? 0 : GROUPS - count(head, tail))];
  if (tail !== undefined) groups.push(...parts(tail));
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ""));
  return `${network.join(":")}::/64`;
}

function parts(text: string): string[] {
  return text === "" ? [] : text.split(":");
}

function count(head: string, tail: string): number {
  return parts(head).length + parts(tail).length;
}

function zeros(length: number): string[] {
  return Array.from({ length: Math.max(0, length) }, () => "0");
}
