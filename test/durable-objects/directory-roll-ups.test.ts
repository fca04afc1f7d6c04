// What Accounts say of themselves, as the Directory keeps it.
import { beforeEach, describe, expect, test } from "vitest";
import type { RollUp } from "../../src/contract/directory.ts";
import { directory, empty, person } from "./directory-under-test.ts";

const ada = person("ada");

function rollUp(at: number, change: Partial<RollUp> = {}): RollUp {
  return {
    ...{ personId: ada.id, at, month: "2026-11", lastUsedAt: null },
    ...{ spentThisMonth: at, granted: 1_000, available: 1_000 - at },
    ...change,
  };
}

beforeEach(async () => {
  await empty();
  await directory.addPerson(ada);
});

describe("a roll-up", () => {
  test("replaces an older one, and is replaced by none", async () => {
    await directory.rollUp(rollUp(5));
    await directory.rollUp(rollUp(9, { month: "2026-12", lastUsedAt: 8 }));
    await directory.rollUp(rollUp(7));
    const newest = rollUp(9, { month: "2026-12", lastUsedAt: 8 });
    expect(await directory.rollUps([ada.id])).toEqual([newest]);
    await directory.rollUp(newest);
    expect(await directory.rollUps([ada.id])).toEqual([newest]);
  });

  test("of nobody in the list is not kept", async () => {
    await directory.rollUp(rollUp(5, { personId: "nobody" }));
    expect(await directory.rollUps(["nobody", ada.id])).toEqual([]);
  });
});
