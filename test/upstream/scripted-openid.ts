// An OpenID provider that answers as a test says: wrongly signed, for somebody else, or too late. The
// real one, in the end-to-end tests, would not.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type OnLoopback, onLoopback } from "./on-loopback.ts";
import { type OpenIdScript, openidClient, scriptOf } from "./openid-script.ts";

const KEY_ID = "the key";
const rightKey = generateKeyPairSync("rsa", { modulusLength: 2048 });
const foreignKey = generateKeyPairSync("rsa", { modulusLength: 2048 });

export async function startScriptedOpenId(): Promise<OnLoopback> {
  const used = new Set<string>();
  const server = createServer((request, response) => {
    void serve(used, request, response).catch(() => response.destroy());
  });
  return await onLoopback(server);
}

async function serve(
  used: Set<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const issuer = `http://${request.headers.host}`;
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  switch (request.url) {
    case "/.well-known/openid-configuration":
      return json(response, 200, metadata(issuer));
    case "/jwks":
      return json(response, 200, {
        keys: [{ ...rightKey.publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256" }],
      });
    case "/token":
      return answerToken(used, { issuer, request, body }, response);
    case "/userinfo": {
      const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
      const { userinfo, claims } = scriptOf(token);
      return json(response, 200, userinfo ?? { sub: claims?.sub });
    }
    default:
      return json(response, 404, {});
  }
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    authorization_response_iss_parameter_supported: true,
  };
}

interface TokenRequest {
  issuer: string;
  request: IncomingMessage;
  body: string;
}

function answerToken(
  used: Set<string>,
  { issuer, request, body }: TokenRequest,
  response: ServerResponse,
): void {
  const form = new URLSearchParams(body);
  const code = form.get("code") ?? "";
  const script = scriptOf(code);
  if (script.fault === "hang_up") {
    request.socket.destroy();
    return;
  }
  if (script.fault === "no_json") {
    response.end("<h1>Down for maintenance</h1>");
    return;
  }
  if (script.fault === "server_error") {
    json(response, 500, { error: "server_error" });
    return;
  }
  if (script.fault === "invalid_client" || request.headers.authorization !== basic()) {
    json(response, 401, { error: "invalid_client" });
    return;
  }
  const verifier = form.get("code_verifier") ?? "";
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  if (used.has(code) || challenge !== script.challenge) {
    json(response, 400, { error: "invalid_grant" });
    return;
  }
  used.add(code);
  json(response, 200, {
    // What the userinfo endpoint is asked with.
    access_token: code,
    token_type: "Bearer",
    ...(script.fault !== "no_id_token" && { id_token: idToken(issuer, script) }),
  });
}

function idToken(issuer: string, { claims, fault }: OpenIdScript): string {
  const now = Math.floor(Date.now() / 1_000);
  const right = { iss: issuer, aud: openidClient.id, iat: now, exp: now + 60 };
  const { privateKey } = fault === "foreign_key" ? foreignKey : rightKey;
  return jwt({ ...right, ...claims }, privateKey);
}

function jwt(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", kid: KEY_ID })}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

/** RFC 6749 section 2.3.1: both are form-encoded first. */
function basic(): string {
  const encoded = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  const pair = `${encoded(openidClient.id)}:${encoded(openidClient.secret)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
