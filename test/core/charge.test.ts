import { describe, expect, it } from "vitest";
import { chargeFor } from "../../src/core/charge.ts";

const broken = (how: "client_left" | "backend_failed" | "cut", promptTokens: number | null) => ({
  how,
  promptTokens,
  completionTokens: 7,
});
const usage = (promptTokens: number, completionTokens: number) => ({
  kind: "usage",
  usage: { promptTokens, completionTokens },
});

describe("you pay for what you received", () => {
  it("a complete answer costs what the backend counted", () => {
    const end = { how: "complete", promptTokens: 3, completionTokens: 5 } as const;
    expect(chargeFor(end, false)).toEqual(usage(3, 5));
    expect(chargeFor(end, true)).toEqual(usage(3, 5));
  });

  it("hanging up on a stream costs the prompt and what was delivered", () => {
    expect(chargeFor(broken("client_left", 3), true)).toEqual(usage(3, 7));
  });

  it("hanging up on a plain answer costs the prompt", () => {
    expect(chargeFor(broken("client_left", 3), false)).toEqual(usage(3, 0));
  });

  it("an owed prompt that nobody has counted is counted first", () => {
    const completionTokens = 7;
    expect(chargeFor(broken("client_left", null), true)).toEqual({
      kind: "count_prompts",
      completionTokens,
    });
  });

  it.each(["backend_failed", "cut"] as const)(
    "a stream that ended as %s costs what came",
    (how) => {
      expect(chargeFor(broken(how, 3), true)).toEqual(usage(3, 7));
      expect(chargeFor({ ...broken(how, null), completionTokens: 0 }, true)).toEqual(usage(0, 0));
    },
  );

  it("a plain answer that failed costs nothing", () => {
    expect(chargeFor(broken("backend_failed", 3), false)).toEqual(usage(0, 0));
  });
});
