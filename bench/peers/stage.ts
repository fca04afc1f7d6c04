// Brings up the engine and every target in front of it, and takes all down again.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBareWorker } from "./bare-worker/start.ts";
import { startContinuo } from "./continuo.ts";
import { type EnginePace, startEngine } from "./engine.ts";
import { findNginx, startNginx } from "./nginx.ts";
import { startPortkey } from "./portkey.ts";
import type { RunningProcess } from "./running-process.ts";
import { anonymousPeople, type PeerSetting, type Target, type TargetName } from "./target.ts";

export interface Stage {
  targets: Target[];
  /** What servers said that ended while they were measured. */
  endings(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startStage(options: {
  peers: readonly TargetName[];
  /** Kept between runs: what the engine learnt at its first start. */
  engineDirectory: string;
  pace: EnginePace;
}): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "continuo-bench-"));
  const processes: RunningProcess[] = [];
  const endings = async (): Promise<string[]> => {
    const all = await Promise.all(processes.map((running) => running.ending()));
    return all.filter((ending) => ending !== null);
  };
  const stop = async (): Promise<void> => {
    // Those that hold connections to the engine go first, the engine last.
    for (const running of processes.reverse()) await running.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const engine = await startEngine({
      directory: options.engineDirectory,
      pace: options.pace,
    });
    processes.push(engine.process);
    const targets = [directTarget(engine.address, engine.process.pid)];
    for (const name of options.peers) {
      const setting = { engine: engine.address, directory: join(directory, name) };
      await mkdir(setting.directory);
      const started = await startPeer(name, setting);
      if (started === null) continue;
      processes.push(started.process);
      targets.push(started.target);
    }
    return { targets, endings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPeer(
  name: TargetName,
  setting: PeerSetting,
): Promise<{ process: RunningProcess; target: Target } | null> {
  switch (name) {
    case "direct":
      return null;
    case "hono":
    case "floor":
      return startBareWorker(name, setting);
    case "nginx": {
      const program = findNginx();
      return program === null ? null : startNginx(program, setting);
    }
    case "portkey":
      return startPortkey(setting);
    case "continuo":
      return startContinuo(setting);
  }
}

function directTarget(engine: PeerSetting["engine"], pid: number): Target {
  return {
    name: "direct",
    host: engine.host,
    port: engine.port,
    path: "/v1/completions",
    model: engine.model,
    people: anonymousPeople,
    pid,
    note: "the local engine itself",
  };
}
