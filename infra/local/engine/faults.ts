// Faults on demand. Armed ahead for the next completion requests, or asked for by a header sent
// straight to the engine. Only an engine started with `--faults` listens to either.

const faultNames = [
  "error-in-stream",
  "no-done",
  "only-done",
  "abort",
  "hang",
  "hang-mid",
  "cut",
  "drip",
  "split",
  "usage-mismatch",
  "no-usage",
  "303",
  "503",
  "500",
  "429",
  "html",
  "proto",
  "never-ready",
  "gzip-anyway",
] as const;

type FaultName = (typeof faultNames)[number];

export interface Fault {
  readonly fault: FaultName;
  /** Content chunks that still go out well before it happens. */
  readonly at: number;
  /** Pause between the pieces of a drip. */
  readonly ms: number;
}

interface ArmedFault extends Fault {
  count: number;
}

const DEFAULT_CHUNKS_BEFORE = 1;
const DEFAULT_DRIP_PAUSE_MS = 20;

export class Faults {
  readonly enabled: boolean;
  #armed: ArmedFault[] = [];

  constructor(enabled: boolean) {
    this.enabled = enabled;
  }

  /** Arms a fault from a request body; returns what is wrong with it, if anything. */
  arm(body: Readonly<Record<string, unknown>>): string | undefined {
    const fault = faultNames.find((name) => name === String(body.fault));
    if (fault === undefined) return `fault must be one of ${faultNames.join(", ")}`;
    const numbers = { count: 1, at: DEFAULT_CHUNKS_BEFORE, ms: DEFAULT_DRIP_PAUSE_MS };
    for (const name of ["count", "at", "ms"] as const) {
      const value = body[name] ?? numbers[name];
      if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
        return `${name} must be a whole number`;
      }
      numbers[name] = value;
    }
    this.#armed.push({ fault, ...numbers });
    return undefined;
  }

  list(): readonly ArmedFault[] {
    return this.#armed;
  }

  clear(): void {
    this.#armed = [];
  }

  /** True while the model is kept from ever becoming ready. */
  get neverReady(): boolean {
    return this.#armed.some(({ fault }) => fault === "never-ready");
  }

  /** The fault for a completion request that just arrived. `header` is `name` or `name;at=3;ms=5`. */
  take(header: string | undefined): Fault | undefined {
    if (!this.enabled) return undefined;
    if (header !== undefined) return parseHeader(header);
    const next = this.#armed.find(({ fault }) => fault !== "never-ready");
    if (next === undefined) return undefined;
    next.count--;
    if (next.count <= 0) this.#armed = this.#armed.filter((armed) => armed !== next);
    return next;
  }
}

function parseHeader(header: string): Fault | undefined {
  const [name, ...settings] = header.split(";").map((part) => part.trim());
  const fault = faultNames.find((known) => known === name);
  if (fault === undefined) return undefined;
  const setting = (key: string, otherwise: number): number => {
    const text = settings.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1);
    return text === undefined ? otherwise : Number(text);
  };
  return {
    fault,
    at: setting("at", DEFAULT_CHUNKS_BEFORE),
    ms: setting("ms", DEFAULT_DRIP_PAUSE_MS),
  };
}
