// What an operator configures, parsed once per isolate. A missing or wrong value fails by its name.
import { z } from "zod";
import {
  COLD_HOLD_SECONDS,
  HOLD_LEASE_MS,
  HOLD_RENEW_MS,
  NAME_MAX_CHARACTERS,
  NOTE_MAX_CHARACTERS,
  SPEND_LIMIT_MAX_USD,
  SPEND_LIMIT_USD,
} from "./limits.ts";

export const Backend = z.strictObject({
  /** Where vLLM answers, without the trailing `/v1`. */
  url: z.url({ protocol: /^https?$/ }),
  /** vLLM's key, sent as a bearer with every request. */
  api_key: z.string().min(1).optional(),
  /** vLLM's `--served-model-name`, where it differs from the catalogue's id. */
  served_name: z.string().min(1).optional(),
  /**
   * The service binding that leads to it (a VPC service, a tunnel, another Worker); without one it
   * is reached over the internet.
   */
  binding: z.string().min(1).optional(),
  /** Sent with every request, such as a proxy's own secrets. */
  headers: z.record(z.string(), z.string()).optional(),
  /** A proxy auth token of Modal's, for what infra/modal serves. */
  modal: z.strictObject({ key: z.string().min(1), secret: z.string().min(1) }).optional(),
  /** In place of the catalogue's, where this backend waits for another time before it stops. */
  idle_seconds: z.int().positive().optional(),
  /** In place of the catalogue's price, for a container of this backend. */
  usd_per_hour: z.number().nonnegative().optional(),
  /** The Model stays `starting` until its revision has passed `npm run conformance -- --gate`. */
  conformance_required: z.boolean().default(false),
});

export type BackendConfiguration = z.infer<typeof Backend>;

function json<T>(schema: z.ZodType<T>): z.ZodType<T, string> {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "is no JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

const secret = z.string().min(32, "needs at least 32 characters");

/** As Standard Webhooks write it: `whsec_` and the base64 of at least 24 bytes. */
const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, "is no whsec_ and the base64 of 24 bytes or more")
  .refine((text) => /^whsec_(.{4})*([^=]{2}(==)?|[^=]{3}=?|[^=]{4})$/.test(text), "is cut off");

/** Several, by commas. */
function listOf(one: z.ZodType<string, string>) {
  return z
    .string()
    .transform((list) => list.split(","))
    .pipe(z.array(one))
    .default([]);
}

const milliseconds = z.coerce.number().int().positive();

const email = z.email().max(NAME_MAX_CHARACTERS).toLowerCase();

/** Plain HTTP shows codes and tokens to the network; only this machine itself has none between. */
const issuer = z.union(
  [
    z.url({ protocol: /^https$/ }),
    z.url({ protocol: /^http$/, hostname: /^(localhost|127\.0\.0\.1|\[::1\])$/ }),
  ],
  "must be an https:// address",
);

export const Configuration = z
  .object({
    /** Checks the tail of every API key. Several, by commas, while rotating: the first one mints. */
    KEY_CHECK_SECRETS: z
      .string()
      .transform((list) => list.split(","))
      .pipe(z.tuple([secret], secret)),
    /** Names each person's prefix cache to vLLM, so that nobody can time another's. */
    CACHE_SALT_SECRET: secret,
    /** The operator's own bearer for `/v1/admin/*`: what makes the first Admin. */
    OPERATOR_KEY: secret.optional(),
    /** By Model id; a Model without a backend is not served. */
    BACKENDS: json(z.record(z.string(), Backend)),
    /** How long a request waits for a Cold Model before it is told to try again. */
    COLD_HOLD_SECONDS: z.coerce.number().int().positive().default(COLD_HOLD_SECONDS),
    /**
     * What GPUs may cost in a calendar month (UTC), in US dollars, until an Admin sets it. Text first:
     * an empty one is no zero.
     */
    SPEND_LIMIT_USD: z
      .string()
      .regex(/^\d+(\.\d+)?$/, "is no amount in US dollars")
      .transform(Number)
      .pipe(z.number().max(SPEND_LIMIT_MAX_USD))
      .default(SPEND_LIMIT_USD),
    /** What the reporters beside vLLM sign with; several, by commas, while rotating. */
    REPORT_SECRETS: listOf(webhookSecret),
    /** What those sign with who post to /webhooks/keys; several, by commas, while rotating. */
    WEBHOOK_SECRETS: listOf(webhookSecret),
    /** The same of WorkOS, which signs in a way of its own. */
    WORKOS_WEBHOOK_SECRETS: listOf(z.string().min(16, "needs at least 16 characters")),
    /**
     * `true` lets people's webhooks go to http:// addresses of the machine that the Worker runs on: for
     * a local stack and its tests, nowhere else.
     */
    WEBHOOKS_TO_LOOPBACK: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false),
    /** Where GitHub publishes what it signs found keys with. */
    GITHUB_KEYS_URL: z
      .url({ protocol: /^https?$/ })
      .default("https://api.github.com/meta/public_keys/secret_scanning"),
    /**
     * A token of GitHub's without any scope: without one it answers few requests an hour to an address,
     * and a Worker shares its address with others.
     */
    GITHUB_KEYS_TOKEN: z.string().min(1).optional(),
    /** Counts failures at the door; without it the Workers rate limiting binding does. */
    UPSTASH_REDIS_REST_URL: z.url({ protocol: /^https?$/ }).optional(),
    /** The token of that Redis. */
    UPSTASH_REDIS_REST_TOKEN: z.string().min(1).optional(),
    /** The OpenID provider; without one nobody can sign in to the App. */
    OIDC_ISSUER: issuer.optional(),
    /** What the provider knows this service by. */
    OIDC_CLIENT_ID: z.string().min(1).optional(),
    /** Absent for a public client, which PKCE alone protects. */
    OIDC_CLIENT_SECRET: z.string().min(1).optional(),
    /** Becomes an Admin at its first sign-in, without an invite. */
    FIRST_ADMIN_EMAIL: email.optional(),
    /** The App's address where it is not that of the request, such as behind a proxy. */
    APP_URL: z
      .url({ protocol: /^https?$/, normalize: true })
      .regex(/^https?:\/\/[^/?#]+\/?$/, "must be an address without a path")
      .transform((text) => text.replace(/\/$/, ""))
      .optional(),
    /** Told to whoever has no invite: whom to ask, and how. */
    ACCESS_CONTACT: z.string().min(1).max(NOTE_MAX_CHARACTERS).optional(),
    /** Where people get help, at the foot of every page: an e-mail address, or an https:// one. */
    SUPPORT_CONTACT: z
      .union(
        [email, z.url({ protocol: /^https$/ })],
        "must be an e-mail address or an https:// one",
      )
      .optional(),
    /** A Hold that nobody renews ends after so long, in milliseconds. */
    HOLD_LEASE_MS: milliseconds.default(HOLD_LEASE_MS),
    /** How often a running Completion renews its Hold, in milliseconds. */
    HOLD_RENEW_MS: milliseconds.default(HOLD_RENEW_MS),
  })
  .refine((configuration) => configuration.HOLD_RENEW_MS * 3 <= configuration.HOLD_LEASE_MS, {
    path: ["HOLD_RENEW_MS"],
    message: "must be at most a third of HOLD_LEASE_MS, so that one lost renewal ends no Hold",
  })
  .refine(({ OIDC_ISSUER, OIDC_CLIENT_ID }) => !OIDC_ISSUER || OIDC_CLIENT_ID, {
    path: ["OIDC_CLIENT_ID"],
    message: "must be set too, where OIDC_ISSUER is",
  })
  .refine((all) => !all.UPSTASH_REDIS_REST_URL === !all.UPSTASH_REDIS_REST_TOKEN, {
    path: ["UPSTASH_REDIS_REST_TOKEN"],
    message: "must be set where UPSTASH_REDIS_REST_URL is, and only there",
  });

export type Configuration = z.infer<typeof Configuration>;

export function parseConfiguration(env: unknown): Configuration {
  const parsed = Configuration.safeParse(env);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`configuration: ${problems.join("; ")}`);
}
