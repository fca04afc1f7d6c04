import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOLD_LEASE_MS, LINE_RETRY_AFTER_MS, RATE_WINDOW_MS } from "../../src/contract/limits.ts";
import { accountFigures } from "../../src/core/admission.ts";
import { settle } from "../../src/core/ledger.ts";
import { figures } from "../../src/core/ledger-state.ts";
import { account, ask, completion, KEY_HASH, NO_LINE, NOW, refusalOf } from "./account-states.ts";
import { usageOf } from "./ledger-commands.ts";
import { numRuns } from "./property-runs.ts";

describe("a Completion is admitted", () => {
  test("with a Hold for its worst case, a start and the key's last use", () => {
    const { state, key } = account(1_000);
    const request = completion({ choices: 3, promptTokens: 20, maxTokens: 50 });
    expect(ask(state, request)).toEqual({
      decision: "admitted",
      keyId: "key",
      held: 170,
      maxTokens: 50,
    });
    expect(state.ledger.holds.get(request.requestId)).toEqual({
      ...{ requestId: request.requestId, keyId: "key", model: "model", held: 170 },
      ...{ leaseUntil: NOW + HOLD_LEASE_MS, progress: usageOf(0) },
    });
    expect(key.lastUsedAt).toBe(NOW);
    expect(accountFigures(state, NOW)).toEqual({
      tokens: { granted: 1_000, spent: 0, held: 170, available: 830 },
      startsPerMinute: 600,
      startsRemaining: 599,
      startsResetMs: RATE_WINDOW_MS / 600,
    });
  });

  test("for at least one token a choice, since echo alone counts one", () => {
    const { state } = account(100);
    const request = completion({ maxTokens: 0, promptTokens: 10, choices: 2 });
    expect(ask(state, request)).toMatchObject({ held: 12, maxTokens: 0 });
    expect(ask(state, request)).toMatchObject({ held: 12, maxTokens: 0 });
  });

  test("once: a repeat gets the same answer and uses up nothing", () => {
    const { state } = account(100);
    const request = completion({ maxTokens: 500, choices: 2 });
    const first = ask(state, request);
    expect(first).toMatchObject({ decision: "admitted", held: 99, maxTokens: 48 });
    const before = structuredClone(state);
    expect(ask(state, request, NO_LINE, NOW + 5)).toEqual(first);
    expect(state).toEqual(before);
    settle(state.ledger, { ...request, keyId: "key", held: 99 }, usageOf(5), NOW);
    expect(refusalOf(ask(state, request))).toEqual({ reason: "ended" });
  });

  test("exactly 50 times when 300 come at once for the tokens of 50", () => {
    const { state } = account(500, { running: 300 });
    const decisions = Array.from({ length: 300 }, () => ask(state));
    expect(decisions.filter((one) => one.decision === "admitted")).toHaveLength(50);
    expect(figures(state.ledger)).toEqual({ granted: 500, spent: 0, held: 500, available: 0 });
    for (const refused of decisions.slice(50)) {
      const budget = { granted: 500, spent: 0, held: 500, available: 0, needed: 4 };
      const facts = { reason: "budget", scope: "account", heldWouldFree: true };
      expect(refusalOf(refused)).toEqual({ ...facts, budget });
    }
    for (const hold of [...state.ledger.holds.values()]) {
      settle(state.ledger, hold, usageOf(10), NOW);
    }
    expect(refusalOf(ask(state))).toMatchObject({ reason: "budget", heldWouldFree: false });
    expect(figures(state.ledger)).toEqual({ granted: 500, spent: 500, held: 0, available: 0 });
  });
});

describe("a Completion is refused", () => {
  test("for the first reason in order, each once the one before it is gone", () => {
    const { state, key } = account(1, { running: 0, waiting: 0, startsPerMinute: 1 });
    state.keys.clear();
    state.profile.disabled = true;
    key.revokedAt = NOW - 1;
    key.revokedWhy = "lost";
    key.expiresAt = NOW;
    state.rate = NOW + RATE_WINDOW_MS;
    const refusal = () => refusalOf(ask(state));
    expect(refusal()).toEqual({ reason: "key_unknown" });
    state.keys.set(KEY_HASH, key);
    expect(refusal()).toEqual({ reason: "key_revoked", at: NOW - 1, why: "lost" });
    key.revokedAt = null;
    expect(refusal()).toEqual({ reason: "key_expired", at: NOW });
    key.expiresAt = NOW + 1;
    expect(refusal()).toEqual({ reason: "account_disabled" });
    state.profile.disabled = false;
    expect(refusal()).toEqual({ reason: "rate", retryAfterMs: RATE_WINDOW_MS });
    state.rate = 0;
    expect(refusal()).toMatchObject({ reason: "budget", heldWouldFree: false });
    const grant = { id: "more", note: "", at: NOW, expiresAt: null, used: 0, lapsed: 0 };
    state.ledger.grants.push({ ...grant, tokens: 99 });
    state.ledger.granted += 99;
    expect(refusal()).toEqual({ reason: "line_full", retryAfterMs: LINE_RETRY_AFTER_MS });
    state.limits.waiting = 1;
    expect(ask(state)).toEqual({ decision: "wait" });
    state.limits.running = 1;
    expect(ask(state)).toMatchObject({ decision: "admitted" });
  });

  test("without moving any limit, whatever the reason", () => {
    const request = fc.record({
      choices: fc.integer({ min: 1, max: 9 }),
      promptTokens: fc.integer({ min: 1, max: 90 }),
      promptTokensExact: fc.boolean(),
      maxTokens: fc.nat({ max: 60 }),
      keyHash: fc.constantFrom(KEY_HASH, KEY_HASH, KEY_HASH, "unknown"),
    });
    const place = fc.record({ waiting: fc.nat({ max: 3 }), turn: fc.boolean() });
    const asks = fc.array(fc.tuple(request, place, fc.nat({ max: 4_000 })), { maxLength: 30 });
    const limits = { running: 3, waiting: 2, startsPerMinute: 5 };
    fc.assert(
      fc.property(asks, fc.nat({ max: 400 }), fc.nat({ max: 400 }), (list, tokens, monthly) => {
        const { state, key } = account(tokens, limits);
        key.monthlyTokenLimit = monthly;
        let now = NOW;
        for (const [change, where, wait] of list) {
          now += wait;
          const before = structuredClone(state);
          const decision = ask(state, completion(change), where, now);
          if (decision.decision !== "admitted") expect(state).toEqual(before);
          const { available, held } = figures(state.ledger);
          expect(available).toBeGreaterThanOrEqual(0);
          expect(held).toBeLessThanOrEqual(monthly);
        }
      }),
      { numRuns },
    );
  });
});

describe("near the end of the tokens", () => {
  test("the prompt is counted first, and max_tokens lowered by the exact count", () => {
    const { state } = account(100);
    const bound = { promptTokens: 80, promptTokensExact: false, choices: 3, maxTokens: 50 };
    expect(refusalOf(ask(state, completion(bound)))).toEqual({ reason: "count_first" });
    const exact = { ...bound, promptTokens: 21, promptTokensExact: true };
    expect(ask(state, completion(exact))).toMatchObject({ held: 99, maxTokens: 26 });
    expect(figures(state.ledger).available).toBe(1);
  });

  test("max_tokens is the most that fits, and never more than was asked for", () => {
    const sizes = fc.record({
      choices: fc.integer({ min: 1, max: 20 }),
      promptTokens: fc.integer({ min: 1, max: 300 }),
      maxTokens: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(sizes, fc.nat({ max: 3_000 }), (size, tokens) => {
        const { choices, promptTokens, maxTokens } = size;
        const decision = ask(account(tokens).state, completion(size));
        const fits = Math.floor((tokens - promptTokens) / choices);
        if (fits < 1) {
          const needed = promptTokens + choices;
          const budget = { granted: tokens, spent: 0, held: 0, available: tokens, needed };
          expect(refusalOf(decision)).toMatchObject({ budget, heldWouldFree: false });
        } else {
          const applied = Math.min(fits, maxTokens);
          const held = promptTokens + choices * applied;
          expect(decision).toMatchObject({ held, maxTokens: applied });
        }
      }),
      { numRuns },
    );
  });

  test("a bound that fits is held as it is; one that cannot fit at all is not counted", () => {
    const unknown = { promptTokens: 5, promptTokensExact: false };
    expect(ask(account(12).state, completion(unknown))).toMatchObject({ held: 12 });
    const tooFew = ask(account(1).state, completion(unknown));
    expect(refusalOf(tooFew)).toMatchObject({ reason: "budget", budget: { needed: 2 } });
  });

  test("a refusal says that waiting helps only while running requests hold enough", () => {
    const { state } = account(20);
    ask(state);
    ask(state);
    const fitsLater = completion({ promptTokens: 19, maxTokens: 1 });
    expect(refusalOf(ask(state, fitsLater))).toMatchObject({ heldWouldFree: true });
    const never = completion({ promptTokens: 20, maxTokens: 1 });
    expect(refusalOf(ask(state, never))).toMatchObject({ heldWouldFree: false });
  });
});
