// What a measure needs to know of anything it sends requests to.

export const targetNames = ["direct", "hono", "floor", "nginx", "portkey", "continuo"] as const;
export type TargetName = (typeof targetNames)[number];

export interface Target {
  name: TargetName;
  host: string;
  port: number;
  /** The path of its completions route. */
  path: string;
  model: string;
  /** The headers each person sends; a target without accounts has the same for all. */
  people: readonly Readonly<Record<string, string>>[];
  /** The process whose tree serves the requests. */
  pid: number;
  /** What was set otherwise than by default, for the report. */
  note: string;
}

/** As many as there are clients in the throughput measure: each has its own key. */
export const PEOPLE = 16;

/** For targets that check no key: a header of a key's size, so that all requests weigh the same. */
export const anonymousPeople: Target["people"] = Array.from({ length: PEOPLE }, () => ({
  authorization: `Bearer ${"k".repeat(60)}`,
}));

/** Everything a peer needs to start in front of the engine. */
export interface PeerSetting {
  engine: { url: string; host: string; port: number; model: string };
  /** An empty directory of this peer alone, removed after the run. */
  directory: string;
}
