// Where a Model's vLLM answers and what proves to it who asks, from the configuration.
import type { BackendConfiguration } from "../contract/configuration.ts";

export interface BackendAddress {
  /** Without the trailing `/v1`, and without a slash. */
  url: string;
  /** What every request needs: the key, and a proxy's own secrets. */
  credentials: Readonly<Record<string, string>>;
  servedName: string;
  /** The service binding that leads there, or null. */
  binding: string | null;
  /**
   * Modal's web functions answer 303 after 150 s, to where the answer can be fetched; its Servers do
   * not. Elsewhere a redirect is a mistake. https://modal.com/docs/guide/webhook-timeouts
   */
  answersElsewhere: boolean;
}

export function backendAddress(modelId: string, configured: BackendConfiguration): BackendAddress {
  const { url, api_key, headers, modal, served_name, binding } = configured;
  return {
    url: url.replace(/\/+$/, ""),
    credentials: {
      ...headers,
      // https://modal.com/docs/guide/webhook-proxy-auth
      ...(modal && { "modal-key": modal.key, "modal-secret": modal.secret }),
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
    },
    servedName: served_name ?? modelId,
    binding: binding ?? null,
    answersElsewhere: modal !== undefined,
  };
}
