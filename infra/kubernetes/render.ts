// Prints what serves one Model on Kubernetes: the chart's values, or the objects beside the chart.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { containerFiles, readServing, ServingProblem } from "../serving/serving.ts";
import { CHART_VERSION, type Installation, names } from "./installation.ts";
import { objects } from "./objects.ts";
import { chartValues } from "./values.ts";

const help = `npm run render:kubernetes -- --model ID [--objects] [--namespace NAME] [--prometheus URL]
  --model ID         a Model of infra/models.json that runs on GPUs
  --objects          what \`kubectl apply\` takes, instead of the chart's values.yaml
  --namespace NAME   where both go (continuo)
  --prometheus URL   what KEDA asks (http://prometheus-operated.monitoring.svc:9090)
infra/kubernetes/README.md says what to do with them.`;

/** Kubernetes reads YAML 1.1, where a bare \`no\` is false. */
const style = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

function main(args: string[]): string {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: "string" },
      objects: { type: "boolean", default: false },
      namespace: { type: "string", default: "continuo" },
      prometheus: { type: "string", default: "http://prometheus-operated.monitoring.svc:9090" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return help;
  const { namespace, prometheus } = values;
  const installation: Installation = { serving: readServing(values.model), namespace, prometheus };
  return values.objects ? objectsFile(installation) : valuesFile(installation);
}

function valuesFile(installation: Installation): string {
  const { release } = names(installation);
  const chart = `vllm/vllm-stack --version ${CHART_VERSION}`;
  return `# ${installation.serving.model.id}, made by infra/kubernetes/render.ts.
# helm upgrade --install ${release} ${chart} -n ${installation.namespace} -f values.yaml
${stringify(chartValues(installation), style)}`;
}

function objectsFile(installation: Installation): string {
  const files = Object.entries(containerFiles).map(
    ([file, source]) => [file, readFileSync(source, "utf8")] as const,
  );
  const documents = objects(installation, Object.fromEntries(files)).map((object) =>
    stringify(object, style),
  );
  return `# ${installation.serving.model.id}, made by infra/kubernetes/render.ts.\n---\n${documents.join("---\n")}`;
}

try {
  process.stdout.write(`${main(process.argv.slice(2)).trimEnd()}\n`);
} catch (failure) {
  const usage = (failure as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS");
  if (!(failure instanceof ServingProblem) && !usage) throw failure;
  console.error((failure as Error).message);
  process.exitCode = 1;
}
