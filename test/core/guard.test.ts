// Whom an address stands for, and who is remembered as shut out.
import { describe, expect, test } from "vitest";
import { networkOf } from "../../src/core/network-of.ts";
import { ShutOut } from "../../src/core/shut-out.ts";

describe("an address", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0002::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2:3::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("%s stands for %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("who is shut out", () => {
  test("is so until then, and not a moment longer", () => {
    const out = new ShutOut(10);
    expect(out.isEmpty).toBe(true);
    out.shut("a", 1_000);
    expect(out.isEmpty).toBe(false);
    expect(out.waitMs("a", 999)).toBe(1);
    expect(out.waitMs("b", 999)).toBe(0);
    expect(out.waitMs("a", 1_000)).toBe(0);
    expect(out.isEmpty).toBe(true);
  });

  test("makes room where there are too many, the first one first", () => {
    const out = new ShutOut(2);
    for (const who of ["a", "b", "a", "c"]) out.shut(who, 1_000);
    expect(["a", "b", "c"].map((who) => out.waitMs(who, 0))).toEqual([1_000, 0, 1_000]);
  });
});
