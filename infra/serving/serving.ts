// What compose and Kubernetes need to know to serve a Model: its entry, and what vLLM is started with,
// which is asked of the one script that every way of serving uses.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Model, parseCatalogue } from "../../src/contract/catalogue.ts";
import catalogueFile from "../models.json" with { type: "json" };
import vllm from "./vllm.json" with { type: "json" };

/** What the operator has to mend; its message is all they need. */
export class ServingProblem extends Error {
  override name = "ServingProblem";
}

export interface Serving {
  model: Model;
  /** vLLM's, pinned. */
  image: string;
  /** What follows `vllm serve`. */
  arguments: readonly string[];
  /** Variables of the container, none of them a secret. */
  environment: Readonly<Record<string, string>>;
}

/** The port that vLLM listens on inside its container. */
export const VLLM_PORT = 8000;

/** Beside vLLM in its container, by the names they have there: what starts it, and what it imports. */
export const containerFiles: Readonly<Record<string, URL>> = {
  "reporter.py": new URL("../reporter/reporter.py", import.meta.url),
  "continuo_bundle.py": new URL("../bundle/continuo_bundle.py", import.meta.url),
};

/** Where they lie in it, and so what its PYTHONPATH is. */
export const CONTAINER_FOLDER = "/continuo";

/** vLLM listens on every address of its container: what reaches it is the network's matter. */
const VLLM_HOST = "0.0.0.0";

/** The Models that run on GPUs, in the catalogue's order. */
export function gpuModels(): Model[] {
  return [...parseCatalogue(catalogueFile).values()].filter(({ gpu_count }) => gpu_count > 0);
}

export function readServing(modelId: string | undefined): Serving {
  const models = gpuModels();
  const model = models.find(({ id }) => id === modelId);
  if (model === undefined) {
    const wrong =
      modelId === undefined ? "Say which Model" : `No Model on GPUs is called ${modelId}`;
    throw new ServingProblem(`${wrong}: --model ${models.map(({ id }) => id).join(" | ")}`);
  }
  return {
    model,
    image: vllm.image,
    arguments: ask(model.id, "--host", VLLM_HOST, "--port", String(VLLM_PORT)) as string[],
    environment: ask(model.id, "--environment") as Record<string, string>,
  };
}

function ask(modelId: string, ...options: string[]): unknown {
  const script = fileURLToPath(new URL("vllm_arguments.py", import.meta.url));
  const args = [script, "--model", modelId, ...options];
  const { status, stdout, stderr, error } = spawnSync("python3", args, { encoding: "utf8" });
  if (error !== undefined) {
    throw new ServingProblem("python3 does not start; install it and put it on PATH.");
  }
  if (status !== 0) throw new ServingProblem(stderr.trim());
  return JSON.parse(stdout);
}

/** A Model's id as a name that Docker and Kubernetes take: lower case, no dot and no slash. */
export function resourceName({ id }: Model): string {
  return id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, NAME_MAX_CHARACTERS);
}

/** A label of a host has 63 at most, and the chart makes `<release>-<name>-engine-service` of two. */
const NAME_MAX_CHARACTERS = 23;
