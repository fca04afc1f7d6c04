// The names that the chart's values and the objects beside it must agree on.
import { resourceName, type Serving } from "../serving/serving.ts";

export interface Installation {
  serving: Serving;
  namespace: string;
  /** Where KEDA asks for figures. */
  prometheus: string;
}

/** Of vLLM's production-stack; the router's image belongs to it. */
export const CHART_VERSION = "0.1.12";
export const ROUTER_IMAGE = {
  repository: "lmcache/lmstack-router",
  tag: "v0.1.12@sha256:d8cfaf022f0179ba3f9d2bbcb95c602bd639b700f7a6ac409626758d1a366483",
};

/** One release a Model: each can be removed, and its router knows no other's engines. */
export function names({ serving, namespace }: Installation) {
  const name = resourceName(serving.model);
  return {
    release: name,
    /** The chart makes it: release, Model and a fixed end. */
    deployment: `${name}-${name}-deployment-vllm`,
    router: `${name}-router-service.${namespace}.svc.cluster.local`,
    reporter: `${name}-reporter`,
    gate: `${name}-gate`,
    scaler: `${name}-scaler`,
    /** Made by the operator; README.md lists its keys. */
    secret: `${name}-continuo`,
  };
}

export function fromSecret(installation: Installation, name: string, key: string) {
  const reference = { name: names(installation).secret, key };
  return { name, valueFrom: { secretKeyRef: reference } };
}
