// What a server and all its children used, from /proc. Without one (no Linux) nothing is metered.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** USER_HZ: fixed at 100 for what Linux shows to programs, whatever the kernel's own tick. */
const TICKS_PER_SECOND = 100;
/** proc(5): sets the peak of resident memory back to what is resident now. */
const RESET_PEAK = "5";
/** Fields of /proc/PID/stat, counted from the one after the program's name. */
const PARENT_FIELD = 1;
const USER_TIME_FIELD = 11;
const SYSTEM_TIME_FIELD = 12;

interface TreeUsage {
  cpuMs: number;
  peakGrowthMb: number;
}

export interface TreeMeter {
  /** What the tree used since the meter was started. */
  read(): TreeUsage;
}

/** Starts to meter the tree under `root`, or null where there is no /proc. */
export function meterTree(root: number): TreeMeter | null {
  const before = measureTree(root);
  if (before.size === 0) return null;
  for (const pid of before.keys()) resetPeak(pid);
  return {
    read(): TreeUsage {
      let cpuMs = 0;
      let growthKb = 0;
      for (const [pid, now] of measureTree(root)) {
        const start = before.get(pid);
        cpuMs += now.cpuMs - (start?.cpuMs ?? 0);
        growthKb += now.peakKb - (start?.residentKb ?? 0);
      }
      return { cpuMs, peakGrowthMb: (growthKb * 1_024) / 1e6 };
    },
  };
}

interface ProcessUsage {
  cpuMs: number;
  residentKb: number;
  peakKb: number;
}

function measureTree(root: number): Map<number, ProcessUsage> {
  const children = new Map<number, number[]>();
  const cpu = new Map<number, number>();
  for (const pid of processIds()) {
    const fields = statFields(pid);
    if (fields === null) continue;
    const parent = Number(fields[PARENT_FIELD]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    const ticks = Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD]);
    cpu.set(pid, (ticks * 1_000) / TICKS_PER_SECOND);
  }
  const tree = new Map<number, ProcessUsage>();
  const next = [root];
  for (let pid = next.pop(); pid !== undefined; pid = next.pop()) {
    const cpuMs = cpu.get(pid);
    if (cpuMs === undefined) continue;
    tree.set(pid, { cpuMs, ...memoryOf(pid) });
    next.push(...(children.get(pid) ?? []));
  }
  return tree;
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid));
  } catch {
    return [];
  }
}

function statFields(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold any character, so the fields begin after the last.
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function memoryOf(pid: number): Pick<ProcessUsage, "residentKb" | "peakKb"> {
  const status = read(`/proc/${pid}/status`) ?? "";
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return { residentKb: kilobytes("VmRSS"), peakKb: kilobytes("VmHWM") };
}

function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  } catch {
    // Not allowed here: then the growth is since the process began, which only overstates it.
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
