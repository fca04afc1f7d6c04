import type { TestProject } from "vitest/node";
import { startScriptedBackend } from "./scripted-backend.ts";

declare module "vitest" {
  interface ProvidedContext {
    backendUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const backend = await startScriptedBackend();
  project.provide("backendUrl", backend.url);
  return backend.close;
}
