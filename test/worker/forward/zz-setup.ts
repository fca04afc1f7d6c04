import { startScriptedServer } from "../../upstream/scripted-server.ts";
export async function setup(project: any) {
  const s = await startScriptedServer();
  project.provide("upstreamUrl", s.url);
  return s.close;
}
