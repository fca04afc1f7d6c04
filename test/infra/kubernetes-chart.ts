// What vLLM's production-stack chart takes, of the fields that we give: names and types as its
// values.yaml, values.schema.json and templates had them at 0.1.12. Strict, so that a name that the
// chart would silently ignore fails here. `helm` checks against the chart's own schema.
import { z } from "zod";

const policy = z.enum(["Always", "IfNotPresent", "Never"]);
/** A part of a host's name: Kubernetes refuses the object otherwise. */
const label = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const amount = z.string().regex(/^\d+Gi$/);
const serviceMonitor = z.strictObject({
  enabled: z.boolean(),
  interval: z.string().regex(/^\d+s$/),
  scrapeTimeout: z.string().regex(/^\d+s$/),
});
const environment = z.array(
  z.union([
    z.strictObject({ name: z.string(), value: z.string() }),
    z.strictObject({
      name: z.string(),
      valueFrom: z.strictObject({
        secretKeyRef: z.strictObject({ name: label, key: z.string() }),
      }),
    }),
  ]),
);
const image = z.string().regex(/^[a-z0-9./-]+:[A-Za-z0-9._-]+(@sha256:[0-9a-f]{64})?$/);

const ModelSpec = z
  .strictObject({
    name: label,
    repository: z.string(),
    tag: z.string(),
    modelURL: z.string(),
    replicaCount: z.int(),
    requestCPU: z.int(),
    requestMemory: amount,
    requestGPU: z.int(),
    nodeSelectorTerms: z.array(
      z.strictObject({
        matchExpressions: z.array(
          z.strictObject({
            key: z.string(),
            operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
            values: z.array(z.string().max(63)).min(1),
          }),
        ),
      }),
    ),
    pvcStorage: amount,
    pvcAccessMode: z.array(z.enum(["ReadWriteOnce", "ReadWriteMany"])),
    shmSize: amount,
    vllmConfig: z.strictObject({
      enablePrefixCaching: z.boolean(),
      tensorParallelSize: z.int(),
      extraArgs: z.array(z.string()),
    }),
    env: environment,
    extraVolumes: z.array(
      z.strictObject({
        name: label,
        configMap: z.strictObject({ name: label, defaultMode: z.int() }),
      }),
    ),
    extraVolumeMounts: z.array(
      z.strictObject({ name: label, mountPath: z.string(), readOnly: z.boolean() }),
    ),
    initContainer: z.strictObject({
      name: label,
      image,
      command: z.array(z.string()),
      env: environment,
      mountPvcStorage: z.boolean(),
    }),
  })
  .refine(({ repository, tag }) => image.safeParse(`${repository}:${tag}`).success);

export const ChartValues = z.strictObject({
  servingEngineSpec: z.strictObject({
    enableEngine: z.boolean(),
    labels: z.record(z.string(), label),
    containerPort: z.int(),
    vllmApiKey: z.strictObject({ secretName: label, secretKey: z.string() }),
    strategy: z.strictObject({ type: z.enum(["Recreate", "RollingUpdate"]) }),
    imagePullPolicy: policy,
    startupProbe: z.strictObject({
      initialDelaySeconds: z.int(),
      periodSeconds: z.int(),
      failureThreshold: z.int(),
      httpGet: z.strictObject({ path: z.string(), port: z.int() }),
    }),
    serviceMonitor,
    modelSpec: z.array(ModelSpec).length(1),
  }),
  routerSpec: z.strictObject({
    enableRouter: z.boolean(),
    repository: z.string(),
    tag: z.string(),
    imagePullPolicy: policy,
    labels: z.record(z.string(), label),
    replicaCount: z.int(),
    serviceType: z.enum(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
    servicePort: z.int(),
    serviceMonitor,
  }),
});

/**
 * The command that the chart makes of them: `vllm serve`, the model, the host and port, what stands in
 * `vllmConfig` by its own names, and then `extraArgs`.
 */
export function chartCommand(values: z.infer<typeof ChartValues>): string[] {
  const { containerPort, modelSpec } = values.servingEngineSpec;
  return modelSpec.flatMap(({ modelURL, vllmConfig }) => [
    ...["vllm", "serve", modelURL, "--host", "0.0.0.0", "--port", String(containerPort)],
    vllmConfig.enablePrefixCaching ? "--enable-prefix-caching" : "--no-enable-prefix-caching",
    ...["--tensor-parallel-size", String(vllmConfig.tensorParallelSize)],
    ...vllmConfig.extraArgs,
  ]);
}
