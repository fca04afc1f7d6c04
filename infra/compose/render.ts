// Makes the folder that a GPU machine needs to serve one Model: it has neither Node nor this project.
import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import type { Model } from "../../src/contract/catalogue.ts";
import {
  containerFiles,
  readServing,
  resourceName,
  ServingProblem,
  VLLM_PORT,
} from "../serving/serving.ts";
import { composeFile, PROXY_PORT } from "./compose-file.ts";
import { proxyConfiguration } from "./proxy.ts";

const help = `npm run render:compose -- --model ID [--out DIR]
  --model ID   a Model of infra/models.json that runs on GPUs
  --out DIR    where the folder is made (.local/compose/ID)
Writes compose.yaml, proxy.conf.template, reporter.py and continuo_bundle.py, anew each time, and .env
only if there is none yet. infra/compose/README.md says what to do with them.`;

/** Docker's own name server, inside every network that a compose file makes. */
const DOCKER_RESOLVER = "127.0.0.11";

function main(args: string[]): string {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: "string" },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return help;
  const serving = readServing(values.model);
  const { model } = serving;
  const folder = values.out ?? join(".local/compose", model.id);
  mkdirSync(folder, { recursive: true });
  const header = `# ${model.id}, made by infra/compose/render.ts; make it anew instead of editing it.\n`;
  // Docker's older readers speak YAML 1.1, where a bare `no` is false.
  const style = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;
  const compose = stringify(composeFile(serving), style);
  writeFileSync(join(folder, "compose.yaml"), header + compose);
  const proxy = proxyConfiguration({
    port: PROXY_PORT,
    engine: `http://vllm:${VLLM_PORT}`,
    resolver: DOCKER_RESOLVER,
  });
  writeFileSync(join(folder, "proxy.conf.template"), proxy);
  for (const [file, source] of Object.entries(containerFiles)) {
    copyFileSync(source, join(folder, file));
  }
  const secrets = join(folder, ".env");
  const isNew = !existsSync(secrets);
  if (isNew) writeFileSync(secrets, environmentFile(model), { mode: 0o600 });
  const next = isNew ? "; fill in .env, where VLLM_API_KEY is made already" : "; .env is as it was";
  return `wrote ${folder}${next}`;
}

function environmentFile(model: Model): string {
  return `# Read by compose, and by nobody else. The comments say where each value comes from.
# Two Models on one machine are two projects.
COMPOSE_PROJECT_NAME=continuo-${resourceName(model)}
# The bearer between the gateway and the proxy; it stands in the gateway's BACKENDS too.
VLLM_API_KEY=${randomBytes(32).toString("hex")}
# The deployed gateway, such as https://continuo.example.org
CONTINUO_URL=
# whsec_…, the secret that the gateway checks reports with
CONTINUO_REPORT_SECRET=
# Of the Cloudflare tunnel that leads to http://proxy:${PROXY_PORT}
TUNNEL_TOKEN=
# Only for the download, where the weights ask for an account
HF_TOKEN=
`;
}

try {
  console.log(main(process.argv.slice(2)));
} catch (failure) {
  const usage = (failure as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS");
  if (!(failure instanceof ServingProblem) && !usage) throw failure;
  console.error((failure as Error).message);
  process.exitCode = 1;
}
