// The options of `npm run deploy`, read once; what is wrong is said in one sentence.
import { parseArgs } from "node:util";
import { DeployProblem } from "./problem.ts";
import type { Target } from "./wrangler.ts";

export interface DeployOptions extends Target {
  dryRun: boolean;
  /** Makes random secrets without asking. */
  yes: boolean;
  /** Where what is secret is kept; null is the Worker's own file. */
  secrets: string | null;
  url: string | null;
}

const help = `npm run deploy -- [options]
  --dry-run        builds, checks and prints every step; needs no account and changes nothing
  --env NAME       deploys [env.NAME] of wrangler.toml instead of its top level
  --yes            makes missing random secrets without asking
  --secrets FILE   JSON of secrets by name; what is made is added (.local/cloudflare/WORKER.json)
  --url URL        where the deployment answers, for the smoke test (CONTINUO_URL, else what wrangler
                   said at the last deployment from here)
  --config FILE    wrangler's configuration (wrangler.toml)
CONTINUO_API_KEY, if set, is tried by the smoke test. infra/cloudflare/README.md has the steps.`;

export function readOptions(args: string[]): DeployOptions | { help: string } {
  const { values } = parse(args);
  if (values.help) return { help };
  const url = values.url ?? process.env.CONTINUO_URL ?? null;
  if (url !== null && !URL.canParse(url)) {
    throw new DeployProblem("--url must be a whole address, https://…");
  }
  return {
    dryRun: values["dry-run"],
    environment: values.env ?? null,
    yes: values.yes,
    secrets: values.secrets ?? null,
    url,
    config: values.config,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        "dry-run": { type: "boolean", default: false },
        env: { type: "string" },
        yes: { type: "boolean", default: false },
        secrets: { type: "string" },
        url: { type: "string" },
        config: { type: "string", default: "wrangler.toml" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    throw new DeployProblem(`${why}. See npm run deploy -- --help.`);
  }
}
