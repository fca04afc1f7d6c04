// As many stacks as workers that run files; each test makes a person of its own.
import type { TestProject } from "vitest/node";
import { learnOnce, type Stack, startStack } from "./stack-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The one of the worker that asks: see own-stack.ts. */
    stack: Stack;
    stacks: Stack[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  learnOnce();
  const workers = Array.from({ length: project.config.maxWorkers });
  const running = await Promise.all(
    workers.map(() => startStack({ faults: true, coldHoldSeconds: 2 })),
  );
  const stacks = running.map(({ stack }) => stack);
  const [first] = stacks;
  if (first === undefined) throw new Error("no worker runs these files");
  project.provide("stack", first);
  project.provide("stacks", stacks);
  return async () => {
    await Promise.all(running.map((one) => one.stop()));
  };
}
