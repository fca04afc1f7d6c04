// Node signs and verifies in both forms: what we turn into the other one must mean the same.
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { expect, test } from "vitest";
import { rawFromDer } from "../../src/core/ecdsa-signature.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Enough that numbers with a first bit that is set, and short ones, come among them. */
const SIGNATURES = 2_000;

test("a signature in DER says the same with r and s side by side", () => {
  const lengths = new Set<number>();
  for (let i = 0; i < SIGNATURES; i++) {
    const text = Buffer.from(`text ${i}`);
    const der = sign("sha256", text, privateKey);
    lengths.add(der.length);
    const raw = rawFromDer(der);
    if (raw === null) throw new Error(`${der.toString("hex")} was not read`);
    expect(verify("sha256", text, { key: publicKey, dsaEncoding: "ieee-p1363" }, raw)).toBe(true);
  }
  expect(lengths.size).toBeGreaterThanOrEqual(3);
});

test.each([
  ["nothing", ""],
  ["a sequence without numbers", "3000"],
  ["one number", "3003020101"],
  ["a length that is too long", "3007020101020101"],
  ["something after it", "300602010102010100"],
  ["a negative number", "3006020181020101"],
  ["a zero too many", "300702020001020101"],
  ["an empty number", "30050200020101"],
  ["a number of 264 bits", `302602${"21"}01${"00".repeat(32)}020101`],
  ["another type", "3006040101020101"],
])("%s is none", (_, hex) => {
  expect(rawFromDer(Buffer.from(hex, "hex"))).toBeNull();
});

test("the smallest numbers there are stand at the end of their halves", () => {
  const raw = rawFromDer(Buffer.from("3006020101020102", "hex"));
  expect(Buffer.from(raw ?? []).toString("hex")).toBe(`${"0".repeat(63)}1${"0".repeat(63)}2`);
});
