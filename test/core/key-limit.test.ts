// A key's monthly limit beside the Account's tokens.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settle } from "../../src/core/ledger.ts";
import { account, ask, completion, NO_LINE, NOW, refusalOf } from "./account-states.ts";
import { usageOf } from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

describe("a key's monthly limit", () => {
  test("counts what the key spent this month and what it holds", () => {
    const { state, key } = account(1_000);
    key.monthlyTokenLimit = 25;
    const first = completion();
    ask(state, first);
    settle(state.ledger, { ...first, keyId: "key", held: 10 }, usageOf(8), NOW);
    expect(ask(state)).toMatchObject({ held: 10, maxTokens: 7 });
    expect(ask(state)).toMatchObject({ held: 7, maxTokens: 4 });
    const refused = refusalOf(ask(state));
    expect(refused).toMatchObject({ reason: "budget", scope: "key", heldWouldFree: true });
    const budget = { granted: 25, spent: 8, held: 17, available: 0, needed: 4 };
    expect(refused).toMatchObject({ budget });
  });

  test("gives the Account's figures where those leave even less", () => {
    const { state, key } = account(20);
    state.keys.set("other", { ...key, id: "other" });
    key.monthlyTokenLimit = 25;
    ask(state, completion({ keyHash: "other", maxTokens: 15 }));
    const budget = { granted: 20, spent: 0, held: 18, available: 2, needed: 4 };
    const facts = { reason: "budget", heldWouldFree: true };
    expect(refusalOf(ask(state))).toEqual({ ...facts, scope: "account", budget });
    key.monthlyTokenLimit = 1;
    const narrow = { granted: 1, spent: 0, held: 0, available: 1, needed: 4 };
    expect(refusalOf(ask(state))).toMatchObject({ scope: "key", budget: narrow });
  });

  test("set below what the key has used leaves less than nothing, and adds up all the same", () => {
    const { state, key } = account(1_000);
    const first = completion();
    ask(state, first);
    settle(state.ledger, { ...first, keyId: "key", held: 10 }, usageOf(8), NOW);
    ask(state);
    key.monthlyTokenLimit = 5;
    const budget = { granted: 5, spent: 8, held: 10, available: -13, needed: 4 };
    const facts = { reason: "budget", heldWouldFree: false };
    expect(refusalOf(ask(state))).toEqual({ ...facts, scope: "key", budget });
  });

  test("is told in figures that add up, whichever limit refuses", () => {
    const asks = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.boolean(), fc.nat({ max: 90 })));
    fc.assert(
      fc.property(asks, fc.nat({ max: 400 }), fc.nat({ max: 400 }), (list, tokens, monthly) => {
        const { state, key } = account(tokens, { running: 300 });
        state.keys.set("other", { ...key, id: "other" });
        key.monthlyTokenLimit = monthly;
        for (const [maxTokens, others, used] of list) {
          const request = completion({ maxTokens, ...(others && { keyHash: "other" }) });
          const decision = ask(state, request);
          if (decision.decision === "admitted") {
            const { keyId, held } = decision;
            if (used > 30) settle(state.ledger, { ...request, keyId, held }, usageOf(used), NOW);
            continue;
          }
          const refusal = refusalOf(decision);
          if (!("reason" in refusal) || refusal.reason !== "budget") throw new Error("not tokens");
          const { granted, spent, held, available, needed } = refusal.budget;
          expect(granted).toBe(spent + held + available);
          expect(available).toBeLessThan(needed);
          expect(granted).toBe(refusal.scope === "key" ? monthly : state.ledger.granted);
          if (others) expect(refusal.scope).toBe("account");
        }
      }),
      { numRuns },
    );
  });

  test("leaves the Account's other keys alone", () => {
    const { state, key } = account(1_000);
    state.keys.set("other", { ...key, id: "other" });
    key.monthlyTokenLimit = 0;
    expect(refusalOf(ask(state))).toMatchObject({ scope: "key", heldWouldFree: false });
    expect(ask(state, completion({ keyHash: "other" }))).toMatchObject({ decision: "admitted" });
  });

  test("starts again when the month turns in UTC", () => {
    const { state, key } = account(1_000);
    key.monthlyTokenLimit = 10;
    const first = completion();
    ask(state, first);
    settle(state.ledger, { ...first, keyId: "key", held: 10 }, usageOf(10), NOW);
    const turn = Date.UTC(2026, 11, 1);
    expect(refusalOf(ask(state, completion(), NO_LINE, turn - 1))).toMatchObject({ scope: "key" });
    expect(ask(state, completion(), NO_LINE, turn)).toMatchObject({ held: 10 });
  });

  test("that can never be met is not waited for, though the Account's tokens are all held", () => {
    const { state, key } = account(100);
    state.keys.set("other", { ...key, id: "other" });
    ask(state, completion({ keyHash: "other", maxTokens: 97 }));
    key.monthlyTokenLimit = 10;
    const decision = ask(state, completion({ promptTokens: 50 }));
    expect(refusalOf(decision)).toMatchObject({ reason: "budget", heldWouldFree: false });
  });

  test("wider than what is available leaves the Account's tokens as the limit", () => {
    const { state, key } = account(2);
    key.monthlyTokenLimit = 1_000;
    expect(refusalOf(ask(state))).toMatchObject({ scope: "account", budget: { available: 2 } });
  });
});
