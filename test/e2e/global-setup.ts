// One stack for all files; each test makes a person of its own.
import type { TestProject } from "vitest/node";
import { learnOnce, type Stack, startStack } from "./stack-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    stack: Stack;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  learnOnce();
  const running = await startStack({ faults: true, coldHoldSeconds: 2 });
  project.provide("stack", running.stack);
  return () => running.stop();
}
