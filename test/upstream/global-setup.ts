import type { TestProject } from "vitest/node";
import { startScriptedBackend } from "./scripted-backend.ts";
import { startScriptedServer } from "./scripted-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    backendUrl: string;
    upstreamUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const [backend, server] = await Promise.all([startScriptedBackend(), startScriptedServer()]);
  project.provide("backendUrl", backend.url);
  project.provide("upstreamUrl", server.url);
  return () => {
    backend.close();
    server.close();
  };
}
