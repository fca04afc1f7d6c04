// Failed items, grouped.
import { describe, expect, test } from "vitest";
import { JOB_ERROR_GROUPS_MOST } from "../../src/contract/job-limits.ts";
import { addErrors, mostFrequentFirst } from "../../src/core/job-errors.ts";

function group(message: string, count: number, customId: string) {
  return { code: "invalid_request", message, count, customId };
}

describe("errors", () => {
  test("that are alike are one group, named by its first item", () => {
    const before = [group("a", 2, "first")];
    const sum = addErrors(before, [group("a", 3, "later"), group("b", 9, "other")]);
    expect(sum).toEqual([group("a", 5, "first"), group("b", 9, "other")]);
    expect(before).toEqual([group("a", 2, "first")]);
    expect(mostFrequentFirst(sum).map(({ message }) => message)).toEqual(["b", "a"]);
  });

  test("of ever more kinds are so many groups, and none is lost", () => {
    let groups: ReturnType<typeof addErrors> = [];
    for (let kind = 0; kind < 50; kind += 1) {
      groups = addErrors(groups, [group(`kind ${kind}`, 2, `item ${kind}`)]);
    }
    expect(groups).toHaveLength(JOB_ERROR_GROUPS_MOST);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(100);
    const first = JOB_ERROR_GROUPS_MOST - 1;
    expect(groups.at(-1)).toMatchObject({ code: "other", customId: `item ${first}` });
    const again = addErrors(groups, [group("kind 3", 1, "x"), group("kind 40", 1, "x")]);
    expect(again).toHaveLength(JOB_ERROR_GROUPS_MOST);
    expect(again[3]?.count).toBe(3);
    expect(again.at(-1)?.count).toBe((50 - first) * 2 + 1);
  });
});
