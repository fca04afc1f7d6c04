import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment } from "kubernetes-types/apps/v1";
import type { ConfigMap } from "kubernetes-types/core/v1";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { z } from "zod";
import { proxyConfiguration } from "../../infra/compose/proxy.ts";
import type { ScaledObject } from "../../infra/kubernetes/objects.ts";
import { containerFiles, gpuModels } from "../../infra/serving/serving.ts";
import { ChartValues, chartCommand } from "./kubernetes-chart.ts";

/** Two programs are started for each rendering, beside other test files. */
const RENDER_MS = 60_000;

function render(...args: string[]) {
  const script = "infra/kubernetes/render.ts";
  const env = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8", env });
}

test("a Model that is not there is answered with those that are", () => {
  const { status, stderr } = render("--model", "gpt-5");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^No Model on GPUs is called gpt-5: --model [^\n]+\n$/);
});

describe.each(gpuModels())("what is rendered for $id", (model) => {
  let values: z.infer<typeof ChartValues>;
  let documents: unknown[];
  const kind = <T>(name: string) =>
    documents.filter((one) => (one as { kind: string }).kind === name) as T[];

  beforeAll(() => {
    // YAML 1.1, as helm and kubectl read it: a bare `no` or `1e3` would be another value there.
    const options = { version: "1.1" } as const;
    values = ChartValues.parse(parse(render("--model", model.id).stdout, options));
    const objects = render("--model", model.id, "--objects", "--namespace", "gpus");
    documents = parseAllDocuments(objects.stdout, options).map((one) => one.toJS());
  }, RENDER_MS);

  test("makes the chart start vLLM with just the catalogue's arguments", () => {
    const script = "infra/serving/vllm_arguments.py";
    const args = [script, "--model", model.id, "--host", "0.0.0.0"];
    const asked: string[] = JSON.parse(spawnSync("python3", args, { encoding: "utf8" }).stdout);
    const command = chartCommand(values);
    // The chart always says something of prefix caching; yes is vLLM's own default.
    const own = command.filter((argument) => argument !== "--enable-prefix-caching");
    expect(sorted(pairs(own.slice(2)))).toEqual(sorted(pairs(asked)));
    expect(command).toContain(model.revision);
  });

  test("asks for the catalogue's GPUs, and as many containers as it says", () => {
    const [spec] = values.servingEngineSpec.modelSpec;
    expect(spec).toMatchObject({ requestGPU: model.gpu_count, replicaCount: model.min_containers });
    const variables = Object.fromEntries(
      (spec?.env ?? []).map((one) => [one.name, "value" in one ? one.value : "secret"]),
    );
    expect(variables).toMatchObject({
      CONTINUO_MODEL: model.id,
      CONTINUO_GPU: model.gpu,
      CONTINUO_GPU_COUNT: String(model.gpu_count),
      CONTINUO_REPORT_SECRET: "secret",
      HF_HUB_OFFLINE: "1",
    });
    const patience = values.servingEngineSpec.startupProbe;
    const seconds = patience.failureThreshold * patience.periodSeconds;
    expect(seconds).toBeGreaterThan(model.typical_start_seconds);
  });

  test("downloads the pinned revision before vLLM starts offline", () => {
    const { initContainer } = values.servingEngineSpec.modelSpec[0] ?? {};
    expect(initContainer?.command).toEqual([
      "hf",
      "download",
      model.repo,
      "--revision",
      model.revision,
    ]);
    expect(initContainer?.mountPvcStorage).toBe(true);
  });

  test("scales the chart's own Deployment between the catalogue's bounds", () => {
    const [scaler] = kind<ScaledObject>("ScaledObject");
    const release = values.servingEngineSpec.labels.release;
    const name = values.servingEngineSpec.modelSpec[0]?.name;
    expect(scaler?.spec.scaleTargetRef.name).toBe(`${release}-${name}-deployment-vllm`);
    expect(scaler?.spec).toMatchObject({
      minReplicaCount: model.min_containers,
      maxReplicaCount: model.max_containers,
      cooldownPeriod: model.idle_seconds,
    });
    // The router counts requests also while there is no engine: without it nothing would wake one.
    const queries = scaler?.spec.triggers.map(({ metadata }) => metadata.query).join("\n");
    expect(queries).toContain(`vllm:num_incoming_requests_total{model="${model.id}"}`);
    expect(queries).toContain(`vllm:num_requests_running{model_name="${model.id}"}`);
  });

  test("lets in through the gate what compose's proxy lets in, and keeps every key in the secret", () => {
    const [gate] = kind<Deployment>("Deployment");
    const configs = kind<ConfigMap>("ConfigMap");
    const proxy = configs.find(({ data }) => data?.["default.conf.template"] !== undefined);
    const release = values.servingEngineSpec.labels.release;
    expect(proxy?.data?.["default.conf.template"]).toBe(
      proxyConfiguration({
        port: 8080,
        engine: `http://${release}-router-service.gpus.svc.cluster.local:80`,
        resolver: null,
      }),
    );
    const containers = gate?.spec?.template.spec?.containers ?? [];
    expect(containers.map(({ name }) => name)).toEqual(["proxy", "tunnel"]);
    for (const { env } of containers) {
      for (const one of env ?? []) {
        expect(one.valueFrom?.secretKeyRef?.name).toBe(
          values.servingEngineSpec.vllmApiKey.secretName,
        );
      }
    }
  });

  test("mounts beside vLLM the reporter, and the middleware where vLLM looks for it", () => {
    const { env, extraVolumes, extraVolumeMounts } = values.servingEngineSpec.modelSpec[0] ?? {};
    const [{ configMap } = { configMap: null }] = extraVolumes ?? [];
    const mounted = kind<ConfigMap>("ConfigMap").find(
      ({ metadata }) => metadata?.name === configMap?.name,
    );
    for (const [name, source] of Object.entries(containerFiles)) {
      expect(mounted?.data?.[name]).toBe(readFileSync(source, "utf8"));
    }
    expect(Object.keys(containerFiles)).toEqual(["reporter.py", "continuo_bundle.py"]);
    const found = { name: "PYTHONPATH", value: extraVolumeMounts?.[0]?.mountPath };
    expect(env).toContainEqual(found);
  });

  test("starts vLLM as the reporter's child, with what the chart gave it", () => {
    const folder = mkdtempSync(join(tmpdir(), "shim-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = kind<ConfigMap>("ConfigMap").find(({ data }) => data?.vllm !== undefined)?.data;
    const [mounted, image] = [join(folder, "mounted"), join(folder, "image")];
    const program = (path: string, text: string) => {
      writeFileSync(path, text);
      chmodSync(path, 0o755);
    };
    for (const one of [mounted, image]) mkdirSync(one);
    program(join(mounted, "vllm"), (files?.vllm ?? "").replaceAll("/continuo", mounted));
    program(join(image, "vllm"), '#!/bin/sh\necho "vllm $*"\n');
    program(join(image, "python3"), '#!/bin/sh\necho "$1 $2"; shift 2; exec "$@"\n');
    const { stdout } = spawnSync(
      "/usr/bin/env",
      ["vllm", "serve", "some/model", "--port", "8000"],
      {
        encoding: "utf8",
        env: { PATH: `${mounted}:${image}:/usr/bin:/bin` },
        // A shim that finds itself again would go on for ever.
        timeout: 10_000,
      },
    );
    expect(stdout).toBe(`${mounted}/reporter.py --\nvllm serve some/model --port 8000\n`);
  });
});

/** Options with their values, so that two orders can be compared. */
function pairs(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const argument of args) {
    const last = joined.at(-1);
    if (argument.startsWith("--") || last === undefined || last.includes("="))
      joined.push(argument);
    else joined[joined.length - 1] = `${last}=${argument}`;
  }
  return joined;
}

function sorted(list: readonly string[]): string[] {
  return [...list].sort();
}
