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

/** These strike a bundle as a whole, the others a completion: one that came alone, or a line. */
const bundleFaultNames = ["bundle-cut", "bundle-404", "bundle-hang"] as const;

type FaultName = (typeof faultNames)[number];
type BundleFaultName = (typeof bundleFaultNames)[number];

interface Struck<Name> {
  readonly fault: Name;
  /** Content chunks that still go out well before it happens; of a bundle, frames. */
  readonly at: number;
  /** Pause between the pieces of a drip. */
  readonly ms: number;
  /** Seconds in the header `retry-after` of a 429 or 503; 0 is no such header. */
  readonly retry_after: number;
}

export type Fault = Struck<FaultName>;
export type BundleFault = Struck<BundleFaultName>;

/** `x-engine-fault`, as Node gives it. */
type Header = string | string[] | undefined;

interface ArmedFault extends Struck<FaultName | BundleFaultName> {
  count: number;
}

const DEFAULT_CHUNKS_BEFORE = 1;
const DEFAULT_DRIP_PAUSE_MS = 20;
const DEFAULT_RETRY_AFTER_SECONDS = 0;

const settingNames = ["at", "ms", "retry_after"] as const;
const defaults = {
  at: DEFAULT_CHUNKS_BEFORE,
  ms: DEFAULT_DRIP_PAUSE_MS,
  retry_after: DEFAULT_RETRY_AFTER_SECONDS,
};

export class Faults {
  readonly enabled: boolean;
  #armed: ArmedFault[] = [];

  constructor(enabled: boolean) {
    this.enabled = enabled;
  }

  /** Arms a fault from a request body; returns what is wrong with it, if anything. */
  arm(body: Readonly<Record<string, unknown>>): string | undefined {
    const names = [...faultNames, ...bundleFaultNames];
    const fault = names.find((name) => name === String(body.fault));
    if (fault === undefined) return `fault must be one of ${names.join(", ")}`;
    const numbers = { count: 1, ...defaults };
    for (const name of ["count", ...settingNames] as const) {
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
  take(header: Header): Fault | undefined {
    return this.#take(header, faultNames);
  }

  /** The fault for a bundle that just arrived, as a whole. */
  takeForBundle(header: Header): BundleFault | undefined {
    return this.#take(header, bundleFaultNames);
  }

  #take<Name extends string>(header: Header, names: readonly Name[]): Struck<Name> | undefined {
    if (!this.enabled) return undefined;
    if (typeof header === "string") return parseHeader(header, names);
    const isNext = (armed: Struck<string>): armed is Struck<Name> & ArmedFault =>
      armed.fault !== "never-ready" && names.some((name) => name === armed.fault);
    const next = this.#armed.find(isNext);
    if (next === undefined) return undefined;
    next.count--;
    if (next.count <= 0) this.#armed = this.#armed.filter((armed) => armed !== next);
    return next;
  }
}

function parseHeader<Name extends string>(
  header: string,
  names: readonly Name[],
): Struck<Name> | undefined {
  const [name, ...settings] = header.split(";").map((part) => part.trim());
  const fault = names.find((known) => known === name);
  if (fault === undefined) return undefined;
  const numbers = { ...defaults };
  for (const setting of settingNames) {
    const text = settings.find((one) => one.startsWith(`${setting}=`));
    if (text !== undefined) numbers[setting] = Number(text.slice(setting.length + 1));
  }
  return { fault, ...numbers };
}
