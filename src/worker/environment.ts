// What a request can reach. Configuration is parsed once per isolate, by the first request.
import catalogueFile from "../../infra/models.json" with { type: "json" };
import type { AccountFigures } from "../contract/account.ts";
import { type Model, parseCatalogue } from "../contract/catalogue.ts";
import { type Configuration, parseConfiguration } from "../contract/configuration.ts";
import { backendAddress } from "../core/backend-address.ts";
import type { ObjectBindings } from "../durable-objects/objects.ts";
import type { SignedIn } from "./app/session.ts";
import { KeyMint } from "./auth/api-key.ts";
import { CacheSalt } from "./forward/cache-salt.ts";
import type { Backend } from "./forward/forward-completion.ts";
import { Guard } from "./guard/guard.ts";
import { limitersOf } from "./guard/limiters.ts";
import { GithubKeys } from "./webhooks/github-keys.ts";

export interface ServedModel {
  model: Model;
  backend: Backend;
}

export interface Services {
  configuration: Configuration;
  keys: KeyMint;
  cacheSalt: CacheSalt;
  githubKeys: GithubKeys;
  guard: Guard;
  /** The Models that have a backend, by id, in the catalogue's order. */
  models: ReadonlyMap<string, ServedModel>;
}

/** What the answer's headers are made of, filled in on the way. */
export interface Frame {
  requestId: string;
  startedAt: number;
  figures: AccountFigures | null;
  /** Of a key that we minted, whatever it is worth. */
  keyHash: string | null;
  /** Durations of the parts, in ms, for `server-timing`. */
  timings: Map<"admit" | "cold" | "inference", number>;
  /** The headers are on the answer. */
  isSet: boolean;
  /** A browser's script asks, which names its page's origin. */
  fromPage: boolean;
}

export interface AppEnv {
  Bindings: ObjectBindings;
  Variables: { frame: Frame; services: Services; signedIn?: SignedIn };
}

let services: Services | null = null;

export function servicesOf(env: unknown): Services {
  services ??= makeServices(parseConfiguration(env), env);
  return services;
}

function makeServices(configuration: Configuration, env: unknown): Services {
  const catalogue = parseCatalogue(catalogueFile);
  const models = new Map<string, ServedModel>();
  for (const id of Object.keys(configuration.BACKENDS)) {
    if (!catalogue.has(id)) throw new Error(`configuration: BACKENDS: no Model is called ${id}`);
  }
  for (const model of catalogue.values()) {
    const configured = configuration.BACKENDS[model.id];
    if (configured === undefined) continue;
    const address = backendAddress(model.id, configured);
    const { binding } = address;
    const reach = binding === null ? fetch : boundFetch(env, model.id, binding);
    models.set(model.id, { model, backend: { ...address, fetch: reach } });
  }
  return {
    configuration,
    keys: new KeyMint(configuration.KEY_CHECK_SECRETS),
    cacheSalt: new CacheSalt(configuration.CACHE_SALT_SECRET),
    githubKeys: new GithubKeys(configuration.GITHUB_KEYS_URL, configuration.GITHUB_KEYS_TOKEN),
    guard: new Guard(limitersOf(configuration, env), configuration.KEY_CHECK_SECRETS[0]),
    models,
  };
}

function boundFetch(env: unknown, modelId: string, binding: string): typeof fetch {
  const fetcher = (env as Record<string, Fetcher | undefined>)[binding];
  if (typeof fetcher?.fetch !== "function") {
    throw new Error(`configuration: BACKENDS: ${modelId}: there is no service binding ${binding}`);
  }
  return (input, init) => fetcher.fetch(input, init);
}
