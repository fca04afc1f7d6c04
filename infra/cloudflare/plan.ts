// What has to be done, from what is wanted and what is there. Pure; nothing to do is an empty list.
import type { Resource, Wanted } from "./wanted.ts";

export interface Found {
  /** Names; nobody can read the values. */
  secrets: readonly string[];
  resources: readonly Resource[];
  /** The build that all requests reach; null where it is none of ours, or more than one. */
  build: string | null;
}

export const emptyAccount: Found = { secrets: [], resources: [], build: null };

export type Step =
  | { do: "create"; resource: Resource }
  /** Secrets go with the code, in one version: there is never one without the other. */
  | { do: "deploy"; build: string; secrets: readonly string[] };

export function plan(wanted: Wanted, build: string, found: Found): Step[] {
  const missing = wanted.resources.filter(
    ({ kind, name }) => !found.resources.some((one) => one.kind === kind && one.name === name),
  );
  const secrets = wanted.secrets.filter((name) => !found.secrets.includes(name));
  const steps: Step[] = missing.map((resource) => ({ do: "create", resource }));
  if (found.build !== build || secrets.length > 0) steps.push({ do: "deploy", build, secrets });
  return steps;
}

export function describeStep(step: Step): string {
  if (step.do === "create") return `create the ${step.resource.kind} ${step.resource.name}`;
  const { build, secrets } = step;
  return `deploy ${build}${secrets.length === 0 ? "" : ` with the secrets ${secrets.join(", ")}`}`;
}
