// Random lives of a Job.
import fc from "fast-check";
import type { SliceReturn } from "../../src/contract/jobs.ts";
import { budget, type JobWorld, type Loss } from "./job-world.ts";

export type Step = { loss: Loss } & (
  | { step: "claim" | "cancel" | "tokensChanged" }
  | { step: "renew" | "die"; pick: number }
  | { step: "commit"; pick: number; failed: number }
  | { step: "giveBack"; pick: number; why: SliceReturn["why"]; heldWouldFree: boolean }
  | { step: "modelWaits"; reason: "spend_cap" | "model_starting" | null }
  | { step: "settle" | "forget"; heard: boolean }
  | { step: "pass"; ms: number }
);

const loss = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Loss>("none") },
  { weight: 1, arbitrary: fc.constant<Loss>("before") },
  { weight: 1, arbitrary: fc.constant<Loss>("after") },
);
const pick = fc.nat({ max: 8 });

function step<Name extends Step["step"], Model extends object>(
  weight: number,
  name: Name,
  model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> },
) {
  return { weight, arbitrary: fc.record({ step: fc.constant(name), loss, ...model }) };
}

const one = fc.oneof(
  step(10, "claim", {}),
  step(3, "renew", { pick }),
  step(2, "die", { pick }),
  step(8, "commit", { pick, failed: fc.nat({ max: 3 }) }),
  step(5, "giveBack", {
    pick,
    why: fc.constantFrom<SliceReturn["why"]>("stopped", "broke", "split", "split", "budget"),
    heldWouldFree: fc.boolean(),
  }),
  step(1, "modelWaits", { reason: fc.constantFrom("spend_cap", "model_starting", null) }),
  step(1, "tokensChanged", {}),
  step(3, "settle", { heard: fc.boolean() }),
  step(3, "forget", { heard: fc.boolean() }),
  step(4, "pass", { ms: fc.oneof(fc.nat({ max: 2_000 }), fc.nat({ max: 200_000 })) }),
);

const stop = fc.oneof(
  step(1, "cancel", {}),
  step(1, "giveBack", {
    ...{ pick, heldWouldFree: fc.constant(false) },
    why: fc.constant<SliceReturn["why"]>("disabled"),
  }),
);

const slices = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });

/** With `stops`, some of them are cancelled on the way. */
export function lives({ stops }: { stops: boolean }) {
  const any = stops
    ? fc.oneof({ weight: 30, arbitrary: one }, { weight: 1, arbitrary: stop })
    : one;
  const steps = fc.array(any, { maxLength: 80, size: "max" }) as fc.Arbitrary<Step[]>;
  return fc.tuple(slices, steps);
}

export function take(world: JobWorld, one: Step): void {
  if (one.step === "claim") world.claim(one.loss);
  if (one.step === "cancel") world.cancel(one.loss);
  if (one.step === "tokensChanged") world.tokensChanged(one.loss);
  if (one.step === "modelWaits") world.modelWaits(one.reason, one.loss);
  if (one.step === "settle") world.settle(one.heard, one.loss);
  if (one.step === "forget") world.forget(one.heard, one.loss);
  if (one.step === "pass") world.pass(one.ms);
  if ("pick" in one) takeWorker(world, one);
}

function takeWorker(world: JobWorld, one: Extract<Step, { pick: number }>): void {
  const worker = world.workers.at(-1 - (one.pick % Math.max(1, world.workers.length)));
  if (worker === undefined) return;
  // A commit is also repeated by one that has its answer.
  if (one.step === "commit" && worker.state !== "gone") world.commit(worker, one.failed, one.loss);
  if (worker.state !== "works") return;
  if (one.step === "renew") world.renew(worker, one.loss);
  if (one.step === "die") worker.state = "gone";
  if (one.step === "giveBack") world.giveBack(worker, returned(one, worker), one.loss);
}

function returned(
  { why, heldWouldFree }: Extract<Step, { step: "giveBack" }>,
  { claim, items }: JobWorld["workers"][number],
): SliceReturn {
  if (why === "budget") return { why, budget, scope: "account", heldWouldFree };
  if (why !== "split") return { why };
  if (items === 1) return { why: "stopped" };
  const from = claim.slice.from + Math.ceil(items / 2);
  return { why, rest: { from, offset: from * 10 } };
}
