// Memory is lost at any step, with any of the writes on their way lost too. What must hold is said
// of the world outside: what ran there, what was reported, and what was answered.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_AHEAD_TOKENS, HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import { expire } from "../../src/core/ledger.ts";
import {
  type Commit,
  type Ending,
  figures,
  type Ledger,
  openLedger,
} from "../../src/core/ledger-state.ts";
import { type Completion, owed } from "./completion-outside.ts";
import { steps, take } from "./crash-steps.ts";
import { sumOf, totalOf } from "./ledger-commands.ts";
import { World } from "./outside-world.ts";
import { numRuns } from "./property-runs.ts";

/** Were memory lost now, whatever reaches the disk says at most what is truly there. */
function aCrashNowIsHarmless(world: World): void {
  const allOwed = sumOf(world.completions, owed);
  const ledgers = [world.ledger];
  for (let written = world.durable; written <= world.commits.length; written += 1) {
    const reopened = openLedger(world.onDisk(written), HOLD_LEASE_MS);
    expire(reopened, world.now);
    ledgers.push(reopened);
  }
  for (const ledger of ledgers) {
    const { granted, spent, held, available } = figures(ledger);
    if (available < 0 || granted !== spent + held + available) {
      expect.unreachable(`${granted} granted, ${spent} spent, ${held} held, ${available} left`);
    }
    if (available > 0 && available > granted - allOwed) {
      expect.unreachable(`${available} left of ${granted}, of which ${allOwed} run or were used`);
    }
  }
}

/** What the backend did for dead gateways that neither an ending nor a Hold of `ledger` covers. */
function paidByNobody(world: World, ledger: Ledger, commits: readonly Commit[]): number {
  const endings = new Map<string, Ending>();
  for (const list of [...commits, ledger.uncommitted])
    for (const ending of list.endings) endings.set(ending.requestId, ending);
  const dead = world.completions.filter((one) => !one.alive && one.state !== "done");
  return sumOf(dead, ({ request, work, usage }) => {
    if (ledger.holds.has(request.requestId)) return 0;
    const ending = endings.get(request.requestId);
    if (ending !== undefined && ending.how !== "expired") return 0;
    return Math.max(work, totalOf(usage ?? NOTHING)) - totalOf(ending?.usage ?? NOTHING);
  });
}

/** Now, and were memory lost now, whatever reaches the disk. */
function whatNobodyPaysForIsCounted(world: World): void {
  const check = (ledger: Ledger, commits: readonly Commit[]) => {
    const { atMostTokens, unclaimedTokens } = ledger.unreported;
    const counted = atMostTokens + unclaimedTokens + ledger.setAside.tokens;
    const lost = paidByNobody(world, ledger, commits);
    if (lost > counted) expect.unreachable(`nobody pays for ${lost}, and ${counted} are counted`);
  };
  check(world.ledger, world.commits);
  for (let written = world.durable; written <= world.commits.length; written += 1) {
    const reopened = openLedger(world.onDisk(written), HOLD_LEASE_MS);
    expire(reopened, world.now);
    check(reopened, world.commits.slice(0, written));
  }
}

/** All requests end, all that live report, and all leases run out. */
function comeToRest(world: World): void {
  world.pass(2_000);
  for (const completion of world.completions)
    if (completion.alive)
      world.finish(completion, Math.max(completion.work, completion.request.held >> 1));
  world.pass(400_000);
  world.commit(true);
  world.flush();
}

function finalEndings(world: World): Map<string, Ending> {
  const all = world.commits.flatMap((commit) => commit.endings);
  return new Map(all.map((ending) => [ending.requestId, ending]));
}

function progressOnDisk(world: World, completion: Completion): number {
  const holds = world.commits.flatMap((commit) => commit.holds);
  const mine = holds.filter((hold) => hold.requestId === completion.request.requestId);
  return Math.max(0, ...mine.map((hold) => totalOf(hold.progress)));
}

/** Plays random lives of an Account to their end. */
function always(
  check: (world: World) => void,
  options: { lastsMs?: fc.Arbitrary<number | null>; eachStep?: (world: World) => void } = {},
): void {
  const { lastsMs = fc.constant(null), eachStep = () => {} } = options;
  fc.assert(
    fc.property(fc.integer({ min: 1_000, max: 300_000 }), steps(lastsMs), (granted, list) => {
      const world = new World(eachStep);
      world.grant(granted, null);
      for (const one of list) take(world, one);
      comeToRest(world);
      check(world);
    }),
    { numRuns: numRuns * 4 },
  );
}

describe("whenever memory is lost", () => {
  test("the disk never says that more is available than is", () => {
    always(() => {}, { eachStep: aCrashNowIsHarmless });
  });

  test("a Grant that expired pays for nothing that started after it", () => {
    const lastsMs = fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: null });
    always(
      (world) => {
        const charges = [...finalEndings(world).values()];
        for (const { expiresAt } of world.ledger.grants) {
          if (expiresAt === null) continue;
          const older = world.ledger.grants.filter(
            (one) => (one.expiresAt ?? Infinity) <= expiresAt,
          );
          const before = world.completions.filter((completion) => completion.askedAt < expiresAt);
          const ids = new Set(before.map((completion) => completion.request.requestId));
          const charged = charges.filter((ending) => ids.has(ending.requestId));
          expect(sumOf(older, (grant) => grant.used)).toBeLessThanOrEqual(
            sumOf(charged, (ending) => ending.charged),
          );
        }
      },
      { lastsMs, eachStep: aCrashNowIsHarmless },
    );
  });

  test("each answered report is charged exactly once, as reported", () => {
    always((world) => {
      const endings = finalEndings(world);
      for (const completion of world.completions.filter((one) => one.state === "done")) {
        const ending = endings.get(completion.request.requestId);
        expect(ending?.usage).toEqual(completion.usage);
        const charged = ending?.charged ?? -1;
        // Only one that was cut off may find its tokens spent by others meanwhile.
        if (completion.cutOffUntil === null)
          expect(charged).toBe(totalOf(ending?.usage ?? NOTHING));
        else expect(charged).toBeLessThanOrEqual(totalOf(ending?.usage ?? NOTHING));
      }
      expect(world.completions.every((completion) => !completion.alive || isOver(completion))).toBe(
        true,
      );
    });
  });

  test("a request whose gateway died costs its report, its last known progress, or nothing", () => {
    always((world) => {
      const endings = finalEndings(world);
      for (const completion of world.completions.filter(
        (one) => !one.alive && one.state !== "done",
      )) {
        const ending = endings.get(completion.request.requestId);
        if (ending === undefined) continue;
        const possible =
          ending.how === "expired" ? completion.reported : [totalOf(completion.usage ?? NOTHING)];
        expect(possible).toContain(totalOf(ending.usage));
        if (ending.how !== "expired") continue;
        expect(totalOf(ending.usage)).toBeGreaterThanOrEqual(progressOnDisk(world, completion));
      }
    });
  });

  test("at rest nothing is held, and spent is the sum of what was charged", () => {
    always((world) => {
      const { held, spent, granted, available } = figures(world.ledger);
      const endings = [...finalEndings(world).values()];
      expect(held).toBe(0);
      expect(granted).toBe(spent + available);
      expect(spent).toBe(sumOf(endings, (ending) => ending.charged));
      const reported = sumOf(endings, (ending) => totalOf(ending.usage));
      expect(spent + world.ledger.overrunTokens).toBe(reported);
      const counted = sumOf(
        world.commits.flatMap((commit) => commit.usage),
        totalOf,
      );
      expect(counted).toBe(reported);
      const reopened = openLedger(world.onDisk(world.durable), HOLD_LEASE_MS);
      expect(figures(reopened)).toEqual(figures(world.ledger));
      expect(reopened.keyMonths).toEqual(world.ledger.keyMonths);
    });
  });

  test("what nobody pays for is at most what is counted or still set aside", () => {
    always(() => {}, { eachStep: whatNobodyPaysForIsCounted });
  });

  test("at rest it is at most what is counted, and a crash counts at most a block unclaimed", () => {
    always((world) => {
      const { atMostTokens, unclaimedTokens } = world.ledger.unreported;
      const lost = paidByNobody(world, world.ledger, world.commits);
      expect(lost).toBeLessThanOrEqual(atMostTokens + unclaimedTokens);
      expect(unclaimedTokens).toBeLessThanOrEqual(world.crashes * BLOCK_AHEAD_TOKENS);
    });
  });

  test("only requests of gateways that died are counted as unreported", () => {
    always((world) => {
      const endings = finalEndings(world);
      const expired = [...endings.values()].filter((ending) => ending.how === "expired");
      const { requests, atMostTokens } = world.ledger.unreported;
      expect(requests).toBe(expired.length);
      expect(atMostTokens).toBe(sumOf(expired, (one) => one.held - totalOf(one.usage)));
      const dead = world.completions.filter(
        (completion) => !completion.alive && completion.state !== "done",
      );
      const ids = new Set(dead.map((completion) => completion.request.requestId));
      expect(expired.every((ending) => ids.has(ending.requestId))).toBe(true);
    });
  });
});

const NOTHING = { promptTokens: 0, completionTokens: 0 };

function isOver(completion: Completion): boolean {
  return completion.state === "done" || completion.state === "refused";
}
