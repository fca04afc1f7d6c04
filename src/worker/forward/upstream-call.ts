// What the backend is sent. Built from nothing: vLLM obeys `x-request-id`, `x-vllm-priority` and
// other headers, so none of the client's is passed on.
import type { BackendAddress } from "../../core/backend-address.ts";

export interface Backend extends BackendAddress {
  /** The internet's, or a service binding's. */
  fetch: typeof fetch;
}

export interface UpstreamCall {
  path: "/v1/completions" | "/tokenize" | "/detokenize";
  body: string;
  accept: "application/json" | "text/event-stream";
  requestId: string;
  signal: AbortSignal;
}

export function callBackend(backend: Backend, call: UpstreamCall): Promise<Response> {
  const url = `${backend.url}${call.path}`;
  const { fetch } = backend;
  return fetch(url, {
    method: "POST",
    headers: upstreamHeaders(backend, call),
    body: call.body,
    signal: call.signal,
    // A redirect would carry the prompt and the backend's key to an address nobody configured.
    redirect: "manual",
  });
}

function upstreamHeaders(backend: Backend, call: UpstreamCall): Record<string, string> {
  return {
    ...backend.credentials,
    "content-type": "application/json",
    accept: call.accept,
    // A compressed answer would be held back until a block is full, and its bytes be no JSON.
    "accept-encoding": "identity",
    "x-request-id": call.requestId,
  };
}
