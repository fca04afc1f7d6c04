// The values of vLLM's production-stack chart for one Model. What the chart has no field for goes
// through `extraArgs`; scaling stands in objects.ts, since the chart's schema refuses two triggers.
import { CONTAINER_FOLDER, VLLM_PORT } from "../serving/serving.ts";
import { fromSecret, type Installation, names, ROUTER_IMAGE } from "./installation.ts";
import { nodeOf } from "./nodes.ts";

/** Beside each GPU: vLLM has one busy process a GPU, and some that tokenize and serve. */
const CPUS_PER_GPU = 4;
const MEMORY_GI_PER_GPU = 32;

/** What tensors pass through between GPUs; it counts as memory. */
const SHARED_MEMORY = "16Gi";

const PROBE_SECONDS = 10;
/** A start may take that many times the usual one before the pod is killed. */
const START_PATIENCE = 3;

/** KEDA sees no request before Prometheus has read it twice. */
const SCRAPE_INTERVAL = "15s";

/** Every place that vLLM's images keep programs in; a variable here cannot extend the image's own. */
const IMAGE_PATH =
  "/opt/venv/bin:/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The chart writes these itself. */
const SET_BY_CHART = ["--host", "--port", "--tensor-parallel-size"];

export function chartValues(installation: Installation) {
  const { model } = installation.serving;
  const { release } = names(installation);
  const interval = { enabled: true, interval: SCRAPE_INTERVAL, scrapeTimeout: "10s" };
  const health = { path: "/health", port: VLLM_PORT };
  const starts = Math.ceil((model.typical_start_seconds * START_PATIENCE) / PROBE_SECONDS);
  return {
    servingEngineSpec: {
      enableEngine: true,
      labels: { environment: "continuo", release },
      containerPort: VLLM_PORT,
      vllmApiKey: { secretName: names(installation).secret, secretKey: "vllm-api-key" },
      // A rolling update would start a second container before it ends the first: twice the GPUs.
      strategy: { type: "Recreate" },
      imagePullPolicy: "IfNotPresent",
      startupProbe: {
        initialDelaySeconds: PROBE_SECONDS,
        periodSeconds: PROBE_SECONDS,
        failureThreshold: starts,
        httpGet: health,
      },
      serviceMonitor: interval,
      modelSpec: [modelSpec(installation)],
    },
    routerSpec: {
      enableRouter: true,
      ...ROUTER_IMAGE,
      imagePullPolicy: "IfNotPresent",
      labels: { environment: "router", release },
      replicaCount: 1,
      serviceType: "ClusterIP",
      servicePort: 80,
      serviceMonitor: interval,
    },
  };
}

function modelSpec(installation: Installation) {
  const { model, image } = installation.serving;
  const { products, memoryGi } = nodeOf(model);
  const { release, reporter } = names(installation);
  const [repository = "", ...tag] = image.split(":");
  return {
    name: release,
    repository,
    tag: tag.join(":"),
    modelURL: model.repo,
    // KEDA changes it from here.
    replicaCount: model.min_containers,
    requestCPU: model.gpu_count * CPUS_PER_GPU,
    requestMemory: `${model.gpu_count * MEMORY_GI_PER_GPU}Gi`,
    requestGPU: model.gpu_count,
    nodeSelectorTerms: [
      {
        matchExpressions: [
          { key: "nvidia.com/gpu.product", operator: "In", values: [...products] },
        ],
      },
    ],
    // Weights that fit on the GPUs fit here.
    pvcStorage: `${model.gpu_count * memoryGi}Gi`,
    pvcAccessMode: [model.max_containers > 1 ? "ReadWriteMany" : "ReadWriteOnce"],
    shmSize: SHARED_MEMORY,
    vllmConfig: vllmConfig(installation),
    env: environment(installation),
    extraVolumes: [{ name: "continuo", configMap: { name: reporter, defaultMode: 0o555 } }],
    extraVolumeMounts: [{ name: "continuo", mountPath: CONTAINER_FOLDER, readOnly: true }],
    initContainer: weights(installation),
  };
}

function vllmConfig({ serving }: Installation) {
  const [, ...options] = serving.arguments;
  const extraArgs: string[] = [];
  for (let at = 0; at < options.length; at++) {
    const option = options[at] ?? "";
    if (SET_BY_CHART.includes(option)) at++;
    else extraArgs.push(option);
  }
  return {
    // The chart says either yes or no to it, before our own arguments.
    enablePrefixCaching: !extraArgs.includes("--no-enable-prefix-caching"),
    tensorParallelSize: serving.model.tensor_parallel,
    extraArgs,
  };
}

function environment(installation: Installation) {
  const { model, environment: variables } = installation.serving;
  const plain = {
    ...variables,
    // Before the image's own: the `vllm` that starts the reporter.
    PATH: `${CONTAINER_FOLDER}:${IMAGE_PATH}`,
    PYTHONPATH: CONTAINER_FOLDER,
    CONTINUO_MODEL: model.id,
    CONTINUO_GPU: model.gpu,
    CONTINUO_GPU_COUNT: String(model.gpu_count),
    VLLM_URL: `http://127.0.0.1:${VLLM_PORT}`,
  };
  return [
    ...Object.entries(plain).map(([name, value]) => ({ name, value })),
    fromSecret(installation, "CONTINUO_URL", "continuo-url"),
    fromSecret(installation, "CONTINUO_REPORT_SECRET", "report-secret"),
  ];
}

/** Before vLLM in every pod: a download at the first, a look at the disk afterwards. */
function weights(installation: Installation) {
  const { model, image } = installation.serving;
  return {
    name: "weights",
    image,
    command: ["hf", "download", model.repo, "--revision", model.revision],
    // The chart mounts the volume here, and vLLM reads from it as HF_HOME.
    env: [{ name: "HF_HOME", value: "/data" }, fromSecret(installation, "HF_TOKEN", "hf-token")],
    mountPvcStorage: true,
  };
}
