import type { TestProject } from "vitest/node";
import { startScriptedBackend } from "./scripted-backend.ts";
import { startScriptedGithub } from "./scripted-github.ts";
import { startScriptedOpenId } from "./scripted-openid.ts";
import { startScriptedServer } from "./scripted-server.ts";
import { startSleepingBackend } from "./sleeping-backend.ts";

declare module "vitest" {
  interface ProvidedContext {
    backendUrl: string;
    upstreamUrl: string;
    sleepingUrl: string;
    openidUrl: string;
    githubUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const [backend, server, sleeping, openid, github] = await Promise.all([
    startScriptedBackend(),
    startScriptedServer(),
    startSleepingBackend(),
    startScriptedOpenId(),
    startScriptedGithub(),
  ]);
  project.provide("backendUrl", backend.url);
  project.provide("upstreamUrl", server.url);
  project.provide("sleepingUrl", sleeping.url);
  project.provide("openidUrl", openid.url);
  project.provide("githubUrl", github.url);
  return () => {
    backend.close();
    server.close();
    sleeping.close();
    openid.close();
    github.close();
  };
}
