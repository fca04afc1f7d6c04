// What the backend is sent. Built from nothing: vLLM obeys `x-request-id`, `x-vllm-priority` and
// other headers, so none of the client's is passed on.
import type { BackendAddress } from "../../core/backend-address.ts";

export interface Backend extends BackendAddress {
  /** The internet's, or a service binding's. */
  fetch: typeof fetch;
}

export interface UpstreamCall {
  path: "/v1/completions" | "/v1/completions/bundle" | "/tokenize" | "/detokenize";
  contentType?: "application/x-ndjson";
  body: string;
  accept: "application/json" | "text/event-stream" | "application/vnd.continuo.bundle";
  requestId: string;
  signal: AbortSignal;
}

/** Each of Modal's takes 150 s: far more than `plainMs` has. */
const ELSEWHERE_MOST = 20;

export async function callBackend(backend: Backend, call: UpstreamCall): Promise<Response> {
  const { fetch } = backend;
  const headers = upstreamHeaders(backend, call);
  let response = await fetch(`${backend.url}${call.path}`, {
    method: "POST",
    headers,
    body: call.body,
    signal: call.signal,
    // A redirect would carry the prompt and the backend's key to an address nobody configured.
    redirect: "manual",
  });
  for (let times = 0; times < ELSEWHERE_MOST; times += 1) {
    const elsewhere = backend.answersElsewhere ? sameOrigin(backend, response) : null;
    if (elsewhere === null) break;
    await response.body?.cancel();
    // Fetched, never posted again: the work is under way, and a second one would be paid for too.
    response = await fetch(elsewhere, { headers, signal: call.signal, redirect: "manual" });
  }
  return response;
}

/** Where a 303 leads, if that is the backend's own. */
function sameOrigin(backend: Backend, response: Response): string | null {
  const location = response.headers.get("location");
  if (response.status !== 303 || location === null) return null;
  const url = URL.parse(location, backend.url);
  return url?.origin === new URL(backend.url).origin ? url.href : null;
}

function upstreamHeaders(backend: Backend, call: UpstreamCall): Record<string, string> {
  return {
    ...backend.credentials,
    "content-type": call.contentType ?? "application/json",
    accept: call.accept,
    // A compressed answer would be held back until a block is full, and its bytes be no JSON.
    "accept-encoding": "identity",
    "x-request-id": call.requestId,
  };
}
