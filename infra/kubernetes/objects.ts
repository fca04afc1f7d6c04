// What stands beside the chart: our files in vLLM's container, the gate (the proxy and a tunnel, nothing
// else reaches the router from outside), and the scaler that starts vLLM from zero.
import type { Deployment } from "kubernetes-types/apps/v1";
import type { ConfigMap, Container } from "kubernetes-types/core/v1";
import { CLOUDFLARED_IMAGE, NGINX_IMAGE } from "../compose/images.ts";
import { proxyConfiguration } from "../compose/proxy.ts";
import { CONTAINER_FOLDER } from "../serving/serving.ts";
import { fromSecret, type Installation, names } from "./installation.ts";

const PROXY_PORT = 8080;
const TUNNEL_METRICS_PORT = 2000;

/** How often KEDA asks; a start of minutes is not made longer by it. */
const POLL_SECONDS = 15;

/**
 * First on the path, it takes the place of the `vllm` that the chart starts: the reporter must be its
 * parent, and the chart has no field for another command.
 */
const shim = `#!/bin/sh
PATH="\${PATH#${CONTAINER_FOLDER}:}"
exec python3 ${CONTAINER_FOLDER}/reporter.py -- vllm "$@"
`;

export interface ScaledObject {
  apiVersion: "keda.sh/v1alpha1";
  kind: "ScaledObject";
  metadata: { name: string; namespace: string };
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1"; kind: "Deployment"; name: string };
    minReplicaCount: number;
    maxReplicaCount: number;
    pollingInterval: number;
    cooldownPeriod: number;
    triggers: { type: "prometheus"; metadata: Record<string, string> }[];
  };
}

export function objects(
  installation: Installation,
  files: Readonly<Record<string, string>>,
): (ConfigMap | Deployment | ScaledObject)[] {
  const { router, reporter: reporterName, gate: gateName } = names(installation);
  const proxy = proxyConfiguration({
    port: PROXY_PORT,
    // A Service's address stays as long as the Service.
    engine: `http://${router}:80`,
    resolver: null,
  });
  return [
    configMap(installation, reporterName, { vllm: shim, ...files }),
    configMap(installation, gateName, { "default.conf.template": proxy }),
    gate(installation),
    scaler(installation),
  ];
}

function configMap(
  { namespace }: Installation,
  name: string,
  data: Record<string, string>,
): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

function gate(installation: Installation): Deployment {
  const name = names(installation).gate;
  const labels = { "app.kubernetes.io/name": name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: installation.namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          containers: [proxyContainer(installation), tunnelContainer(installation)],
          volumes: [{ name: "proxy", configMap: { name } }],
        },
      },
    },
  };
}

function proxyContainer(installation: Installation): Container {
  return {
    name: "proxy",
    image: NGINX_IMAGE,
    env: [fromSecret(installation, "VLLM_API_KEY", "vllm-api-key")],
    volumeMounts: [{ name: "proxy", mountPath: "/etc/nginx/templates", readOnly: true }],
    // Not a route: the proxy would ask the kubelet for the key.
    livenessProbe: { tcpSocket: { port: PROXY_PORT }, periodSeconds: 10 },
    resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "256Mi" } },
  };
}

function tunnelContainer(installation: Installation): Container {
  const metrics = `0.0.0.0:${TUNNEL_METRICS_PORT}`;
  return {
    name: "tunnel",
    image: CLOUDFLARED_IMAGE,
    args: ["tunnel", "--no-autoupdate", "--metrics", metrics, "run"],
    env: [fromSecret(installation, "TUNNEL_TOKEN", "tunnel-token")],
    readinessProbe: {
      httpGet: { path: "/ready", port: TUNNEL_METRICS_PORT },
      periodSeconds: 10,
    },
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
  };
}

function scaler(installation: Installation): ScaledObject {
  const { model } = installation.serving;
  const { scaler: name, deployment } = names(installation);
  const inFlight = ["running", "waiting"]
    .map((state) => `sum(vllm:num_requests_${state}{model_name="${model.id}"})`)
    .join(" + ");
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name, namespace: installation.namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: deployment },
      minReplicaCount: model.min_containers,
      maxReplicaCount: model.max_containers,
      pollingInterval: POLL_SECONDS,
      cooldownPeriod: model.idle_seconds,
      triggers: [
        // What wakes it: the router counts a request also where no engine is.
        trigger(installation, {
          query: `sum(rate(vllm:num_incoming_requests_total{model="${model.id}"}[1m])) > bool 0`,
          threshold: "1",
        }),
        // What keeps it awake during a long answer, and what adds containers.
        trigger(installation, { query: inFlight, threshold: String(model.job_concurrency) }),
      ],
    },
  };
}

function trigger({ prometheus }: Installation, metadata: { query: string; threshold: string }) {
  return { type: "prometheus" as const, metadata: { serverAddress: prometheus, ...metadata } };
}
