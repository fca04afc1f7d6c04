// The compose file of one Model, as data. vLLM publishes no port: only the proxy reaches it, only the
// tunnel reaches the proxy, and neither network of theirs leads out.
import { CONTAINER_FOLDER, containerFiles, type Serving, VLLM_PORT } from "../serving/serving.ts";
import { CLOUDFLARED_IMAGE, NGINX_IMAGE } from "./images.ts";

export const PROXY_PORT = 8080;

/** What vLLM's image keeps: weights that were downloaded, kernels that it compiled. */
const CACHE_FOLDER = "/root/.cache";

/** The reporter gives vLLM 20 s to end and the goodbye 5 s; Docker kills after this. */
const STOP_SECONDS = 40;

/** NCCL passes tensors between GPUs through shared memory; Docker's own 64 MB is too little. */
const SHARED_MEMORY = "16gb";

/** A start may take that many times the usual one before Docker calls it unhealthy. */
const START_PATIENCE = 3;

/** Docker keeps a container's output for ever otherwise. */
const logging = { driver: "json-file", options: { "max-size": "50m", "max-file": "3" } };

export function composeFile(serving: Serving) {
  return {
    services: {
      vllm: vllm(serving),
      proxy: proxy(),
      tunnel: tunnel(),
      weights: weights(serving),
    },
    networks: {
      engine: { internal: true },
      door: { internal: true },
      // The reporter's posts and the tunnel go out here; nothing is published, so nothing comes in.
      outward: {},
    },
    volumes: { cache: {} },
  };
}

function vllm({ model, image, arguments: given, environment }: Serving) {
  return {
    image,
    // vLLM runs as the reporter's child, so that its end is reported however it ends.
    entrypoint: ["python3", `${CONTAINER_FOLDER}/reporter.py`, "--", "vllm", "serve"],
    command: given.map(literal),
    environment: {
      ...environment,
      PYTHONPATH: CONTAINER_FOLDER,
      VLLM_API_KEY: required("VLLM_API_KEY"),
      CONTINUO_URL: required("CONTINUO_URL"),
      CONTINUO_REPORT_SECRET: required("CONTINUO_REPORT_SECRET"),
      CONTINUO_MODEL: model.id,
      CONTINUO_GPU: model.gpu,
      CONTINUO_GPU_COUNT: String(model.gpu_count),
      VLLM_URL: `http://127.0.0.1:${VLLM_PORT}`,
    },
    volumes: [
      ...Object.keys(containerFiles).map((file) => `./${file}:${CONTAINER_FOLDER}/${file}:ro`),
      `cache:${CACHE_FOLDER}`,
    ],
    networks: ["engine", "outward"],
    deploy: {
      resources: {
        reservations: {
          devices: [{ driver: "nvidia", count: model.gpu_count, capabilities: ["gpu"] }],
        },
      },
    },
    shm_size: SHARED_MEMORY,
    // So that a process of vLLM's that ends is reaped, and a signal arrives.
    init: true,
    stop_grace_period: `${STOP_SECONDS}s`,
    healthcheck: {
      test: ["CMD", "python3", "-c", healthProbe],
      interval: "10s",
      timeout: "5s",
      retries: 3,
      start_period: `${model.typical_start_seconds * START_PATIENCE}s`,
    },
    restart: "unless-stopped",
    logging,
  };
}

/** vLLM's image has Python; whether it has curl changed more than once. */
const healthProbe = `import urllib.request as u; u.urlopen("http://127.0.0.1:${VLLM_PORT}/health", timeout=4)`;

function proxy() {
  return {
    image: NGINX_IMAGE,
    environment: { VLLM_API_KEY: required("VLLM_API_KEY") },
    volumes: ["./proxy.conf.template:/etc/nginx/templates/default.conf.template:ro"],
    networks: ["engine", "door"],
    // Not until vLLM is healthy: meanwhile the proxy says 503, which the gateway takes as starting.
    depends_on: { vllm: { condition: "service_started" } },
    healthcheck: {
      test: ["CMD", "nc", "-z", "127.0.0.1", String(PROXY_PORT)],
      interval: "10s",
      timeout: "3s",
      retries: 3,
    },
    restart: "unless-stopped",
    logging,
  };
}

function tunnel() {
  const metrics = ["--metrics", "127.0.0.1:2000"];
  return {
    image: CLOUDFLARED_IMAGE,
    command: ["tunnel", "--no-autoupdate", ...metrics, "run"],
    environment: { TUNNEL_TOKEN: required("TUNNEL_TOKEN") },
    networks: ["door", "outward"],
    depends_on: { proxy: { condition: "service_healthy" } },
    healthcheck: {
      test: ["CMD", "cloudflared", "tunnel", ...metrics, "ready"],
      interval: "10s",
      timeout: "5s",
      retries: 3,
      start_period: "20s",
    },
    restart: "unless-stopped",
    logging,
  };
}

/** Run once, by hand, ahead of the first start: serving is offline and fails at once without it. */
function weights({ model, image }: Serving) {
  return {
    image,
    entrypoint: ["hf", "download", model.repo, "--revision", model.revision],
    environment: { HF_TOKEN: variable("HF_TOKEN", ":-") },
    volumes: [`cache:${CACHE_FOLDER}`],
    networks: ["outward"],
    profiles: ["weights"],
    restart: "no",
    logging,
  };
}

function required(name: string): string {
  return variable(name, ":?set it in .env");
}

/** Filled in by compose, from .env. */
function variable(name: string, otherwise: string): string {
  return `\${${name}${otherwise}}`;
}

/** Compose takes a `$` in a value for one of its variables. */
function literal(argument: string): string {
  return argument.replaceAll("$", "$$$$");
}
