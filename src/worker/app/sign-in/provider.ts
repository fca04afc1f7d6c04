// The OpenID provider, whichever is configured: where it is, how we are known to it, and who it says
// has come. What it answers is judged by oauth4webapi; nothing here decides who may come in.
import * as oauth from "oauth4webapi";
import type { Configuration } from "../../../contract/configuration.ts";
import type { OpenIdSubject } from "../../../contract/directory.ts";
import { Unreachable } from "./judge-failure.ts";
import type { Progress } from "./progress.ts";

export interface Provider {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  authentication: oauth.ClientAuth;
}

export interface Identity extends OpenIdSubject {
  /** Empty where the provider tells none. */
  email: string;
  emailVerified: boolean;
}

/** A provider moves its endpoints with notice, and its keys are read again when one is unknown. */
const DISCOVERY_FRESH_MS = 3_600_000;

/** A person is waiting; a provider that is not there by then is down. */
const PROVIDER_TIMEOUT_MS = 10_000;

/** Machines that keep time differ by far less. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Values only: a promise of one request must not be awaited by another. */
let discovered: { server: oauth.AuthorizationServer; at: number } | null = null;
const signingKeys: oauth.JWKSCacheInput = {};

/** Null where sign-in is not configured. Throws what the discovery fails by. */
export async function findProvider(
  configuration: Configuration,
  now: number,
): Promise<Provider | null> {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: secret,
  } = configuration;
  if (issuer === undefined || clientId === undefined) return null;
  if (discovered === null || now - discovered.at > DISCOVERY_FRESH_MS) {
    discovered = { server: await discover(new URL(issuer)), at: now };
  }
  const { server } = discovered;
  const client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  return { server, client, authentication: authentication(server, secret) };
}

async function discover(issuer: URL): Promise<oauth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(issuer, { ...reach(issuer), algorithm: "oidc" });
  return oauth.processDiscoveryResponse(issuer, response);
}

/** Where the browser goes to be asked who it is. */
export async function authorizationUrl(
  { server, client }: Provider,
  progress: Progress,
  options: { redirectUri: string; askAgain: boolean },
): Promise<string> {
  if (server.authorization_endpoint === undefined) {
    throw new Error("the provider names no authorization endpoint");
  }
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: options.redirectUri,
    scope: "openid email",
    state: progress.state,
    nonce: progress.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(progress.codeVerifier),
    code_challenge_method: "S256",
    ...(options.askAgain && { prompt: "login" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The answer in the browser's address, if it is one to this sign-in. Throws oauth4webapi's errors. */
export function readAnswer(
  { server, client }: Provider,
  progress: Progress,
  address: URL,
): URLSearchParams {
  return oauth.validateAuthResponse(server, client, address, progress.state);
}

/** Who the answer's code stands for. Throws oauth4webapi's errors, or `Unreachable`. */
export async function identify(
  provider: Provider,
  progress: Progress,
  answer: { parameters: URLSearchParams; redirectUri: string },
): Promise<Identity> {
  const { server, client } = provider;
  const options = reach(new URL(server.issuer));
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    provider.authentication,
    answer.parameters,
    answer.redirectUri,
    progress.codeVerifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: progress.nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, {
    ...options,
    [oauth.jwksCache]: signingKeys,
  });
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new Error("an ID Token that was required is not there");
  const told =
    claims.email === undefined ? await askUserInfo(provider, tokens, claims.sub) : claims;
  return {
    ...{ issuer: server.issuer, sub: claims.sub },
    email: typeof told.email === "string" ? told.email : "",
    // Some providers write it as text.
    emailVerified: told.email_verified === true || String(told.email_verified) === "true",
  };
}

/** Many providers tell the address here only. */
async function askUserInfo(
  { server, client }: Provider,
  tokens: oauth.TokenEndpointResponse,
  sub: string,
): Promise<{ email?: unknown; email_verified?: unknown }> {
  if (server.userinfo_endpoint === undefined) return {};
  const options = reach(new URL(server.issuer));
  const response = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  return oauth.processUserInfoResponse(server, client, sub, response);
}

function authentication(
  server: oauth.AuthorizationServer,
  secret: string | undefined,
): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  // Basic is what a provider takes that says nothing.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** By plain HTTP only where the configuration let one in: a provider on this machine. */
function reach(issuer: URL) {
  return {
    [oauth.allowInsecureRequests]: issuer.protocol === "http:",
    [oauth.customFetch]: fetchOrSay,
    signal: () => AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  };
}

async function fetchOrSay(
  url: string,
  { body, ...init }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
): Promise<Response> {
  try {
    return await fetch(url, { ...init, ...(body !== undefined && { body }) });
  } catch {
    throw new Unreachable();
  }
}
