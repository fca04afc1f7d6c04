// The local engine, mostly with fixed answers: it must never be what is measured.
import { fileURLToPath } from "node:url";
import { RunningProcess } from "./running-process.ts";
import type { PeerSetting } from "./target.ts";

const entry = fileURLToPath(new URL("../../infra/local/engine/main.ts", import.meta.url));

/** How the engine answers; set when it starts. */
export interface EnginePace {
  /** Ready-made answers; else its model computes them. */
  fixedAnswers: boolean;
  tokenDelayMs: number;
}

export interface RunningEngine {
  process: RunningProcess;
  address: PeerSetting["engine"];
}

export async function startEngine(options: {
  directory: string;
  pace: EnginePace;
}): Promise<RunningEngine> {
  const args = [
    entry,
    ...["--port", "0", "--data", options.directory],
    ...(options.pace.fixedAnswers ? ["--fast"] : []),
    ...["--token-delay-ms", String(options.pace.tokenDelayMs)],
  ];
  const engine = RunningProcess.start({ name: "the engine", file: process.execPath, args });
  const { url } = await engine.readyLine();
  if (typeof url !== "string") throw new Error("the engine did not say its address");
  const { hostname, port } = new URL(url);
  const model = await firstModel(url, {});
  return { process: engine, address: { url, host: hostname, port: Number(port), model } };
}

/** The id of the first model that an OpenAI-compatible server lists. */
export async function firstModel(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const answer = await fetch(`${url}/v1/models`, { headers });
  if (!answer.ok) throw new Error(`the list of models was answered ${answer.status}`);
  const list = (await answer.json()) as { data?: { id?: unknown }[] };
  const id = list.data?.[0]?.id;
  if (typeof id !== "string") throw new Error("the list of models is empty");
  return id;
}
