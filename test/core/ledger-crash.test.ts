// Memory is lost at any step, with any of the writes on their way lost too. What must hold is said
// of the world outside: what ran there, what was reported, and what was answered.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOLD_LEASE_MS } from "../../src/contract/limits.ts";
import { type Ending, expire, figures, openLedger } from "../../src/core/ledger.ts";
import { sumOf, totalOf } from "./ledger-commands.ts";
import { type Job, World } from "./outside-world.ts";
import { numRuns } from "./property-runs.ts";

type Step =
  | { step: "grant"; tokens: number; lastsMs: number | null }
  | { step: "ask"; tokens: number }
  | { step: "work"; pick: number; tokens: number }
  | { step: "finish"; pick: number; tokens: number }
  | { step: "commit"; atRest: boolean }
  | { step: "flush" }
  | { step: "pass"; ms: number }
  | { step: "cutOff"; pick: number; ms: number }
  | { step: "gatewaysDie"; which: number }
  | { step: "crash"; written: number; downMs: number; die: number }
  /** All that runs dies, and the object comes back after a while. */
  | { step: "powerCut"; written: number; downMs: number };

const pick = fc.nat({ max: 30 });
const tokens = fc.integer({ min: 1, max: 9_000 });
/** Which gateways die, one bit each. */
const ALL = 2 ** 16 - 1;
const some = fc.nat({ max: ALL });

function step<Name extends Step["step"], Model extends object>(
  weight: number,
  name: Name,
  model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> },
) {
  return { weight, arbitrary: fc.record({ step: fc.constant(name), ...model }) };
}

function steps(lastsMs: fc.Arbitrary<number | null>): fc.Arbitrary<Step[]> {
  const downMs = fc.oneof(fc.constant(0), fc.nat({ max: 15_000 }));
  const written = fc.nat({ max: 3 });
  const ms = fc.oneof(fc.nat({ max: 600 }), fc.nat({ max: 25_000 }));
  const one = fc.oneof(
    step(2, "grant", { tokens: fc.integer({ min: 1, max: 100_000 }), lastsMs }),
    step(8, "ask", { tokens }),
    step(3, "work", { pick, tokens }),
    step(6, "finish", { pick, tokens: fc.option(tokens, { nil: 0 }) }),
    step(2, "commit", { atRest: fc.boolean() }),
    step(4, "flush", {}),
    step(4, "pass", { ms }),
    step(1, "cutOff", { pick, ms: fc.nat({ max: 200_000 }) }),
    step(1, "gatewaysDie", { which: some }),
    step(3, "crash", { written, downMs, die: fc.oneof(fc.constant(0), some) }),
    step(1, "powerCut", { written, downMs: fc.nat({ max: 200_000 }) }),
  );
  return fc.array(one, { maxLength: 60, size: "max" }) as fc.Arbitrary<Step[]>;
}

function take(world: World, one: Step): void {
  const job =
    "pick" in one ? world.jobs.at(-1 - (one.pick % Math.max(1, world.jobs.length))) : null;
  if (one.step === "grant") world.grant(one.tokens, one.lastsMs);
  if (one.step === "ask") world.ask(one.tokens);
  if (one.step === "work" && job) world.work(job, one.tokens);
  if (one.step === "finish" && job) world.finish(job, one.tokens);
  if (one.step === "commit") world.commit(one.atRest);
  if (one.step === "flush") world.flush();
  if (one.step === "pass") world.pass(one.ms);
  if (one.step === "cutOff" && job) world.cutOff(job, one.ms);
  if (one.step === "gatewaysDie") die(world, one.which);
  if (one.step === "crash") {
    die(world, one.die);
    world.crash(one.written, one.downMs);
  }
  if (one.step === "powerCut") {
    die(world, ALL);
    world.crash(one.written, one.downMs);
  }
}

function die(world: World, which: number): void {
  for (const [at, job] of world.jobs.entries()) if ((which >> (at % 16)) & 1) job.alive = false;
}

/** What a request has a right to: its Hold while it runs, and then what it used. */
function owed(job: Job): number {
  if (job.cutOffUntil !== null) return 0;
  if (job.state === "running") return job.alive ? job.request.held : 0;
  const counts = job.state === "done" || (job.state === "reporting" && job.alive);
  return counts && job.usage !== null ? totalOf(job.usage) : 0;
}

/** Were memory lost now, whatever reaches the disk says at most what is truly there. */
function aCrashNowIsHarmless(world: World): void {
  const allOwed = sumOf(world.jobs, owed);
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

/** All requests end, all that live report, and all leases run out. */
function comeToRest(world: World): void {
  world.pass(2_000);
  for (const job of world.jobs)
    if (job.alive) world.finish(job, Math.max(job.work, job.request.held >> 1));
  world.pass(400_000);
  world.commit(true);
  world.flush();
}

function finalEndings(world: World): Map<string, Ending> {
  const all = world.commits.flatMap((commit) => commit.endings);
  return new Map(all.map((ending) => [ending.requestId, ending]));
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
          const before = world.jobs.filter((job) => job.askedAt < expiresAt);
          const ids = new Set(before.map((job) => job.request.requestId));
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
      for (const job of world.jobs.filter((one) => one.state === "done")) {
        const ending = endings.get(job.request.requestId);
        expect(ending?.usage).toEqual(job.usage);
        const charged = ending?.charged ?? -1;
        // Only one that was cut off may find its tokens spent by others meanwhile.
        if (job.cutOffUntil === null) expect(charged).toBe(totalOf(ending?.usage ?? NOTHING));
        else expect(charged).toBeLessThanOrEqual(totalOf(ending?.usage ?? NOTHING));
      }
      expect(world.jobs.every((job) => !job.alive || isOver(job))).toBe(true);
    });
  });

  test("a request whose gateway died costs its report, its last known progress, or nothing", () => {
    always((world) => {
      const endings = finalEndings(world);
      for (const job of world.jobs.filter((one) => !one.alive && one.state !== "done")) {
        const ending = endings.get(job.request.requestId);
        if (ending === undefined) continue;
        const possible = ending.how === "expired" ? job.reported : [totalOf(job.usage ?? NOTHING)];
        expect(possible).toContain(totalOf(ending.usage));
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

  test("what nobody reported is at most what is counted, and only of those who died", () => {
    always((world) => {
      const endings = finalEndings(world);
      const expired = [...endings.values()].filter((ending) => ending.how === "expired");
      const { requests, atMostTokens } = world.ledger.unreported;
      expect(requests).toBe(expired.length);
      expect(atMostTokens).toBe(sumOf(expired, (one) => one.held - totalOf(one.usage)));
      const dead = world.jobs.filter((job) => !job.alive && job.state !== "done");
      const ids = new Set(dead.map((job) => job.request.requestId));
      expect(expired.every((ending) => ids.has(ending.requestId))).toBe(true);
      const lost = sumOf(dead, (job) => {
        const ending = endings.get(job.request.requestId);
        if (ending !== undefined && ending.how !== "expired") return 0;
        return job.work - totalOf(ending?.usage ?? NOTHING);
      });
      expect(lost).toBeLessThanOrEqual(atMostTokens + world.unclaimed);
    });
  });
});

const NOTHING = { promptTokens: 0, completionTokens: 0 };

function isOver(job: Job): boolean {
  return job.state === "done" || job.state === "refused";
}
