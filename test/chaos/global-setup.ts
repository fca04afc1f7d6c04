import { learnOnce } from "../e2e/stack-process.ts";

/** Learns the engine's model before any file starts a process that needs it. */
export function setup(): void {
  learnOnce();
}
