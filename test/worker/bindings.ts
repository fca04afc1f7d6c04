// What the Worker under test is configured with. Read in Node, where it is configured, and in workerd.
import { openidClient } from "../upstream/openid-script.ts";

export const keyCheckSecrets = [
  "the secret that mints of 32 characters or more",
  "the secret before it of 32 characters or more",
] as const;

export const operatorKey = "the-operator-key-of-32-characters-or-more";

export const cacheSaltSecret = "the secret of the salts, of 32 characters";

/** The one that containers sign with now, and the one before it. */
export const reportSecrets = [
  "whsec_bmV3IHNlY3JldCBvZiB0aGUgcmVwb3J0cyAh",
  "whsec_b2xkIHNlY3JldCBvZiB0aGUgcmVwb3J0cyAh",
] as const;

/** Those who say that a key leaked sign with one of these. */
export const webhookSecrets = [
  "whsec_bmV3IHNlY3JldCBvZiB0aGUgd2ViaG9va3Mh",
  "whsec_b2xkIHNlY3JldCBvZiB0aGUgd2ViaG9va3Mh",
] as const;

export const workosSecret = "the secret of WorkOS";

/** Fast enough that a test sees a renewal. */
const HOLD_RENEW_MS = 50;

/** A Model whose backend sleeps until a test wakes it; the Models of other tests are always there. */
export const sleepingModel = "llama-3.1-8b";

/** One that sleeps too, for the tests of the Inference object alone: they count what it is asked. */
export const startingModel = "llama-3.1-405b";

/** Another one there, which has to pass the conformance suite first. */
export const gatedModel = "olmo-2-7b";

export const firstAdminEmail = "first-admin@example.org";
export const accessContact = "Write to access@example.org.";
export const supportContact = "support@example.org";

interface Upstream {
  backendUrl: string;
  sleepingUrl: string;
  openidUrl: string;
  githubUrl: string;
}

export function bindings(upstream: Upstream): Record<string, string> {
  const { backendUrl, sleepingUrl, openidUrl, githubUrl } = upstream;
  const backend = { url: backendUrl, api_key: "the backend's key", served_name: "served" };
  // Each at a part of its own, so that files beside each other wake only their own.
  const sleeping = (part: string) => ({
    ...{ url: `${sleepingUrl}/${part}`, served_name: "served" },
    ...{ idle_seconds: 60, usd_per_hour: 36 },
  });
  return {
    KEY_CHECK_SECRETS: keyCheckSecrets.join(","),
    CACHE_SALT_SECRET: cacheSaltSecret,
    OPERATOR_KEY: operatorKey,
    REPORT_SECRETS: reportSecrets.join(","),
    WEBHOOK_SECRETS: webhookSecrets.join(","),
    WORKOS_WEBHOOK_SECRETS: workosSecret,
    WEBHOOKS_TO_LOOPBACK: "true",
    GITHUB_KEYS_URL: `${githubUrl}/keys`,
    BACKENDS: JSON.stringify({
      local: backend,
      [sleepingModel]: sleeping("sleeping"),
      [startingModel]: sleeping("starting"),
      [gatedModel]: { ...sleeping("gated"), conformance_required: true },
    }),
    HOLD_RENEW_MS: String(HOLD_RENEW_MS),
    OIDC_ISSUER: openidUrl,
    OIDC_CLIENT_ID: openidClient.id,
    OIDC_CLIENT_SECRET: openidClient.secret,
    FIRST_ADMIN_EMAIL: firstAdminEmail,
    ACCESS_CONTACT: accessContact,
    SUPPORT_CONTACT: supportContact,
  };
}
