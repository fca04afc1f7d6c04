// Random lives of an Account: people ask, gateways die, writes are late, memory is lost.
import fc from "fast-check";
import type { World } from "./outside-world.ts";

type Step =
  | { step: "grant"; tokens: number; lastsMs: number | null }
  | { step: "ask"; tokens: number; slice: boolean }
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

export function steps(lastsMs: fc.Arbitrary<number | null>): fc.Arbitrary<Step[]> {
  const downMs = fc.oneof(fc.constant(0), fc.nat({ max: 15_000 }));
  const written = fc.nat({ max: 3 });
  const ms = fc.oneof(fc.nat({ max: 600 }), fc.nat({ max: 25_000 }));
  const one = fc.oneof(
    step(2, "grant", { tokens: fc.integer({ min: 1, max: 100_000 }), lastsMs }),
    step(8, "ask", { tokens, slice: fc.boolean() }),
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

export function take(world: World, one: Step): void {
  const completion =
    "pick" in one
      ? world.completions.at(-1 - (one.pick % Math.max(1, world.completions.length)))
      : null;
  if (one.step === "grant") world.grant(one.tokens, one.lastsMs);
  if (one.step === "ask") world.ask(one.tokens, one.slice);
  if (one.step === "work" && completion) world.work(completion, one.tokens);
  if (one.step === "finish" && completion) world.finish(completion, one.tokens);
  if (one.step === "commit") world.commit(one.atRest);
  if (one.step === "flush") world.flush();
  if (one.step === "pass") world.pass(one.ms);
  if (one.step === "cutOff" && completion) world.cutOff(completion, one.ms);
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
  for (const [at, completion] of world.completions.entries())
    if ((which >> (at % 16)) & 1) completion.alive = false;
}
