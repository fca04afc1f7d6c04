// What a deployment needs in the account. Buckets and queues are read from wrangler.toml: a binding there
// is all it takes to have one made. Secrets are the rows of secrets.ts.
import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { z } from "zod";
import { DeployProblem } from "./problem.ts";
import { secretKinds } from "./secrets.ts";
import type { Target } from "./wrangler.ts";

export interface Resource {
  kind: ResourceKind;
  name: string;
}

export interface Wanted {
  worker: string;
  secrets: readonly string[];
  resources: readonly Resource[];
}

/** As much of wrangler.toml as concerns the account; wrangler itself checks the rest. */
const Section = z.object({
  name: z.string().optional(),
  r2_buckets: z.array(z.object({ bucket_name: z.string() })).default([]),
  queues: z
    .object({
      producers: z.array(z.object({ queue: z.string() })).default([]),
      consumers: z
        .array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() }))
        .default([]),
    })
    .default({ producers: [], consumers: [] }),
});
const Configuration = Section.extend({
  name: z.string(),
  env: z.record(z.string(), Section).default({}),
});

interface Kind {
  look(name: string): string[];
  create(name: string): string[];
  /** What wrangler says of one that is not there. */
  absent: RegExp;
}

/** Durable Objects are not here: they come with the Worker, by its migrations. */
export const resourceKinds = {
  "R2 bucket": {
    look: (name) => ["r2", "bucket", "info", name, "--json"],
    create: (name) => ["r2", "bucket", "create", name],
    absent: /\[code: 10006\]|does not exist/,
  },
  queue: {
    look: (name) => ["queues", "info", name],
    create: (name) => ["queues", "create", name],
    absent: /does not exist/,
  },
} as const satisfies Record<string, Kind>;

type ResourceKind = keyof typeof resourceKinds;

export function readWanted({ config, environment }: Target): Wanted {
  const top = readConfiguration(config);
  // Bindings are not inherited, so an environment that is not there would deploy a Worker without any.
  const section = environment === null ? top : top.env[environment];
  if (section === undefined) {
    throw new DeployProblem(
      `${config} has no [env.${environment}]: add it, with bindings of its own.`,
    );
  }
  const { r2_buckets, queues } = section;
  const buckets = r2_buckets.map(({ bucket_name }) => bucket_name);
  const queueNames = [
    ...queues.producers.map(({ queue }) => queue),
    ...queues.consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue]),
  ];
  return {
    // wrangler's own rule.
    worker: environment === null ? top.name : (section.name ?? `${top.name}-${environment}`),
    secrets: Object.keys(secretKinds),
    resources: [...named("R2 bucket", buckets), ...named("queue", queueNames)],
  };
}

function readConfiguration(config: string): z.infer<typeof Configuration> {
  let file: unknown;
  try {
    file = parse(readFileSync(config, "utf8"));
  } catch (failure) {
    const [why] = String((failure as Error).message).split("\n");
    throw new DeployProblem(`${config} cannot be read: ${why}`);
  }
  const parsed = Configuration.safeParse(file);
  if (parsed.success) return parsed.data;
  throw new DeployProblem(
    `${config} is not as wrangler takes it: ${z.prettifyError(parsed.error)}`,
  );
}

function named(kind: ResourceKind, names: readonly (string | undefined)[]): Resource[] {
  const defined = names.filter((name) => name !== undefined);
  return [...new Set(defined)].map((name) => ({ kind, name }));
}
