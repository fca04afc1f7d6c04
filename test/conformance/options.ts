// The options of `npm run conformance`.
import { parseArgs } from "node:util";
import type { Gate } from "./gate.ts";

export interface ConformanceOptions {
  url: string;
  key: string | null;
  engine: string | null;
  engineKey: string | null;
  model: string | null;
  eosId: number;
  inFlight: number;
  quick: boolean;
  bundle: boolean;
  json: string | null;
  gate: Gate | null;
}

/** Its message is all that is needed to mend the call. */
export class OptionProblem extends Error {
  override name = "OptionProblem";
}

const help = `npm run conformance -- --url URL [options]
  --url URL          the completions URL under test: a gateway, or any engine with vLLM's protocol
  --key K            its key (or CONFORMANCE_KEY)
  --engine URL       the engine behind the gateway: compares both, byte for byte
  --engine-key K     its key (or ENGINE_API_KEY)
  --model ID         the model to ask for (the first of the list)
  --eos-id N         the model's end-of-text token (50256)
  --in-flight N      requests at once (16); 1 where an engine's batches change its floats
  --quick            a sample, in some seconds
  --no-bundle        leave out several Completions in one request: an engine without infra/bundle
  --json FILE        the rows as JSON, too
  --gate URL         a deployment (with /v1) that waits for this Model to pass; told when nothing failed
  --gate-model ID    what it calls the Model
  --admin-key K      an admin key of it (or CONTINUO_ADMIN_KEY)`;

export function readOptions(args: string[]): ConformanceOptions | { help: string } {
  const values = parse(args);
  if (values.help === true) return { help };
  if (values.url === undefined) throw new OptionProblem(`--url is missing.\n${help}`);
  return {
    url: values.url,
    key: values.key ?? process.env.CONFORMANCE_KEY ?? null,
    engine: values.engine ?? null,
    engineKey: values["engine-key"] ?? process.env.ENGINE_API_KEY ?? null,
    model: values.model ?? null,
    eosId: whole("eos-id", values["eos-id"], 0),
    inFlight: whole("in-flight", values["in-flight"], 1),
    quick: values.quick,
    bundle: !values["no-bundle"],
    json: values.json ?? null,
    gate: gateOf(values),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        url: { type: "string" },
        key: { type: "string" },
        engine: { type: "string" },
        "engine-key": { type: "string" },
        model: { type: "string" },
        "eos-id": { type: "string", default: "50256" },
        "in-flight": { type: "string", default: "16" },
        quick: { type: "boolean", default: false },
        "no-bundle": { type: "boolean", default: false },
        json: { type: "string" },
        gate: { type: "string" },
        "gate-model": { type: "string" },
        "admin-key": { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (failure) {
    throw new OptionProblem(`${failure instanceof Error ? failure.message : failure}\n${help}`);
  }
}

function gateOf(values: ReturnType<typeof parse>): Gate | null {
  if (values.gate === undefined) return null;
  const adminKey = values["admin-key"] ?? process.env.CONTINUO_ADMIN_KEY;
  const model = values["gate-model"];
  if (adminKey === undefined || model === undefined) {
    throw new OptionProblem("--gate needs --gate-model and --admin-key (or CONTINUO_ADMIN_KEY).");
  }
  if (values.quick) throw new OptionProblem("--gate needs the whole run, without --quick.");
  return { url: values.gate, adminKey, model };
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new OptionProblem(`--${name} must be a whole number of at least ${least}.`);
}
