// What the Worker under test is configured with. Read in Node, where it is configured, and in workerd.
export const keyCheckSecrets = [
  "the secret that mints of 32 characters or more",
  "the secret before it of 32 characters or more",
] as const;

export const operatorKey = "the-operator-key-of-32-characters-or-more";

export const cacheSaltSecret = "the secret of the salts, of 32 characters";

/** Fast enough that a test sees a renewal. */
const HOLD_RENEW_MS = 50;

export function bindings(backendUrl: string): Record<string, string> {
  const backend = { url: backendUrl, api_key: "the backend's key", served_name: "served" };
  return {
    KEY_CHECK_SECRETS: keyCheckSecrets.join(","),
    CACHE_SALT_SECRET: cacheSaltSecret,
    OPERATOR_KEY: operatorKey,
    BACKENDS: JSON.stringify({ local: backend }),
    HOLD_RENEW_MS: String(HOLD_RENEW_MS),
  };
}
