// The one place that runs wrangler, found on PATH as npm's scripts have it. Nothing secret is ever an
// argument: values go through a file that only this person can read.
import { spawnSync } from "node:child_process";
import { DeployProblem } from "./problem.ts";

export interface Outcome {
  ok: boolean;
  stdout: string;
  /** Both streams: wrangler says what is wrong on either. */
  said: string;
}

export type Wrangler = (args: readonly string[], variables?: Record<string, string>) => Outcome;

export interface Target {
  /** Of wrangler.toml; null is its top level. */
  environment: string | null;
  config: string;
}

export function wranglerFor({ environment, config }: Target): Wrangler {
  const target = ["--config", config, ...(environment === null ? [] : ["--env", environment])];
  return (args, variables = {}) => {
    const { status, stdout, stderr, error } = spawnSync("wrangler", [...args, ...target], {
      encoding: "utf8",
      env: {
        ...process.env,
        // It must not ask: nobody would see the question.
        CI: "1",
        NO_COLOR: "1",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_HIDE_BANNER: "true",
        ...variables,
      },
    });
    if (error !== undefined) {
      throw new DeployProblem("wrangler does not start: run `npm ci`, then `npm run deploy`.");
    }
    return { ok: status === 0, stdout, said: `${stdout}\n${stderr}` };
  };
}

/** What follows the first bracket: wrangler may print warnings before its JSON. */
export function readJson(args: readonly string[], { stdout }: Outcome): unknown {
  const start = stdout.search(/[[{]/);
  try {
    return JSON.parse(stdout.slice(Math.max(start, 0)));
  } catch {
    throw new DeployProblem(`wrangler ${args.join(" ")} printed no JSON; has its version changed?`);
  }
}

/** One sentence that says what to do about a step that failed. */
export function problemOf(args: readonly string[], { said }: Outcome): DeployProblem {
  if (/CLOUDFLARE_API_TOKEN|not authenticated|"loggedIn":\s*false|\[code: 10000\]/i.test(said)) {
    return new DeployProblem(
      "Cloudflare does not know who you are: `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
    );
  }
  if (/more than one account/i.test(said)) {
    return new DeployProblem(
      "Your login has more than one account: set CLOUDFLARE_ACCOUNT_ID to the one that is meant.",
    );
  }
  const lines = said.split("\n").map((line) => line.replace(/^.*\[ERROR\]/, "").trim());
  // The reason of an API's error stands some lines below the sentence that there was one.
  const why = lines.find((line) => /\[code: \d+\]/.test(line)) ?? lines.find((line) => line !== "");
  const command = ["wrangler", ...args.filter((part) => !part.includes("/"))].join(" ");
  return new DeployProblem(
    `\`${command}\` failed: ${why ?? "it did not say why"}. Mend that and run this again; what is done stays.`,
  );
}
