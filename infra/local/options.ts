// The options of `npm start`, read once; what is wrong is said in one sentence.
import { parseArgs } from "node:util";

export interface LocalOptions {
  port: number;
  openidPort: number | null;
  data: string;
  reset: boolean;
  tokens: number;
  engine: string | null;
  coldStartSeconds: number;
  idleSeconds: number | null;
  usdPerHour: number;
  coldHoldSeconds: number | null;
  json: boolean;
  watch: boolean;
  fast: boolean;
  faults: boolean;
  tokenDelayMs: number;
  holdLeaseSeconds: number | null;
  secondModel: string | null;
}

/** Something the person who starts it can mend; its message is all they need. */
export class StartProblem extends Error {
  override name = "StartProblem";
}

const help = `npm start -- [options]
  --port N                 where the API and the App answer (8787; 0 takes a free one)
  --openid-port N          where the OpenID provider answers (the next one; stays as it was first)
  --data DIR               where objects and the engine's model are kept (.local)
  --reset                  forget all people, keys and tokens first
  --tokens N               the demo person's first Grant (1000000)
  --engine URL             use this vLLM instead of the local engine (its key in ENGINE_API_KEY)
  --cold-start-seconds N   the local engine starts Cold and takes so long (0)
  --idle-seconds N         … and is Cold again after so long without a request (300)
  --usd-per-hour N         what the meter counts for the local engine (0)
  --json                   one JSON line when ready: api, app, openid, key, admin_key,
                           webhook_secret, engine
for tests and benchmarks:
  --fast                   the local engine gives a fixed answer
  --faults                 the local engine fails on demand
  --token-delay-ms N       the local engine pauses after each token (0)
  --hold-lease-seconds N   a Hold that nobody renews ends after so long (90)
  --cold-hold-seconds N    a request waits so long for a Cold Model (290)
  --second-model ID        the engine answers for this Model of the catalogue too`;

export function readOptions(args: string[]): LocalOptions | { help: string } {
  const { values } = parse(args);
  if (values.help) return { help };
  return {
    port: whole("port", values.port, 0, 65_535),
    openidPort: optional("openid-port", values["openid-port"], 1, 65_535),
    data: values.data,
    reset: values.reset,
    tokens: whole("tokens", values.tokens, 1, 1e12),
    engine: values.engine === undefined ? null : url(values.engine),
    coldStartSeconds: whole("cold-start-seconds", values["cold-start-seconds"], 0, 3_600),
    idleSeconds: optional("idle-seconds", values["idle-seconds"], 1, 86_400),
    usdPerHour: whole("usd-per-hour", values["usd-per-hour"], 0, 1_000_000),
    coldHoldSeconds: optional("cold-hold-seconds", values["cold-hold-seconds"], 1, 3_600),
    json: values.json,
    watch: values.watch,
    fast: values.fast,
    faults: values.faults,
    tokenDelayMs: whole("token-delay-ms", values["token-delay-ms"], 0, 60_000),
    holdLeaseSeconds: optional("hold-lease-seconds", values["hold-lease-seconds"], 2, 3_600),
    secondModel: values["second-model"] ?? null,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: "string", default: "8787" },
        "openid-port": { type: "string" },
        data: { type: "string", default: ".local" },
        reset: { type: "boolean", default: false },
        tokens: { type: "string", default: "1000000" },
        engine: { type: "string" },
        "cold-start-seconds": { type: "string", default: "0" },
        "idle-seconds": { type: "string" },
        "usd-per-hour": { type: "string", default: "0" },
        "cold-hold-seconds": { type: "string" },
        json: { type: "boolean", default: false },
        watch: { type: "boolean", default: false },
        fast: { type: "boolean", default: false },
        faults: { type: "boolean", default: false },
        "token-delay-ms": { type: "string", default: "0" },
        "hold-lease-seconds": { type: "string" },
        "second-model": { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    throw new StartProblem(`${why}. See npm start -- --help.`);
  }
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new StartProblem(`--${name} must be a whole number from ${least} to ${most}.`);
}

function optional(name: string, text: string | undefined, least: number, most: number) {
  return text === undefined ? null : whole(name, text, least, most);
}

function url(text: string): string {
  if (!URL.canParse(text)) throw new StartProblem("--engine must be a URL, http://…");
  return text.replace(/\/$/, "");
}
