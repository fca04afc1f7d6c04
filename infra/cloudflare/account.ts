// What is in the account now. Only looks; every answer is wrangler's own.
import { z } from "zod";
import type { Found } from "./plan.ts";
import { resourceKinds, type Wanted } from "./wanted.ts";
import { type Outcome, problemOf, readJson, type Wrangler } from "./wrangler.ts";

const Secrets = z.array(z.object({ name: z.string() }));
const Deployment = z.object({
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});
const Version = z.object({
  annotations: z.object({ "workers/tag": z.string().optional() }).optional(),
});

export function lookAtAccount(wrangler: Wrangler, wanted: Wanted): Found {
  const login = ["whoami", "--json"];
  const who = wrangler(login);
  if (!who.ok) throw problemOf(login, who);
  const secrets = secretNames(wrangler);
  return {
    secrets: secrets ?? [],
    build: secrets === null ? null : runningBuild(wrangler),
    resources: wanted.resources.filter(({ kind, name }) => {
      const { look, absent } = resourceKinds[kind];
      return ask(wrangler, look(name), absent) !== null;
    }),
  };
}

/** Null where there is no such Worker yet. */
function secretNames(wrangler: Wrangler): string[] | null {
  const args = ["secret", "list", "--format", "json"];
  const listed = ask(wrangler, args, /Worker ".*" .*not found|\[code: 10007\]/);
  return listed && Secrets.parse(readJson(args, listed)).map(({ name }) => name);
}

function runningBuild(wrangler: Wrangler): string | null {
  const status = ["deployments", "status", "--json"];
  // Secrets can be put before there is a version, by hand.
  const deployed = ask(wrangler, status, /has no deployments|\[code: 10007\]/);
  if (deployed === null) return null;
  const { versions } = Deployment.parse(readJson(status, deployed));
  const [only, ...others] = versions;
  if (only === undefined || others.length > 0) return null;
  const view = ["versions", "view", only.version_id, "--json"];
  const version = ask(wrangler, view, /(?!)/);
  return version && (Version.parse(readJson(view, version)).annotations?.["workers/tag"] ?? null);
}

/** Null where wrangler says that it is not there; any other failure is a problem. */
function ask(wrangler: Wrangler, args: string[], absent: RegExp): Outcome | null {
  const outcome = wrangler(args);
  if (outcome.ok) return outcome;
  if (absent.test(outcome.said)) return null;
  throw problemOf(args, outcome);
}
