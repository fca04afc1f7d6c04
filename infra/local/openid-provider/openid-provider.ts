// A real OpenID provider beside the local Worker, so that sign-in is one code path everywhere and there
// is no bypass to forget. It believes whoever says who they are, hence answers on loopback only.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider, { type Configuration } from "oidc-provider";
import { pickPage, problemPage } from "./pick-page.ts";
import { ShortMemory } from "./short-memory.ts";

export interface RunningProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  stop(): Promise<void>;
}

interface ProviderSettings {
  /** 0 takes a free one. Who has signed in is bound to the issuer, so it should stay the same. */
  port: number;
  /** The App's addresses; people come back to their `/sign-in/callback`. */
  apps: readonly string[];
  /** Offered on the sign-in page; any other address can be typed in. */
  people: readonly { email: string; is: string }[];
}

const CLIENT_ID = "continuo";
/** An e-mail address and its field's name. */
const FORM_MAX_BYTES = 1_000;

export async function startOpenIdProvider(settings: ProviderSettings): Promise<RunningProvider> {
  const server = createServer();
  server.listen(settings.port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  const issuer = `http://127.0.0.1:${address.port}`;
  const clientSecret = randomBytes(32).toString("hex");
  const provider = new Provider(issuer, configuration(settings.apps, clientSecret));
  const answer = provider.callback();
  server.on("request", (request, response) => {
    forgetWhoWasHere(request);
    const isPicking = request.url?.startsWith("/interaction/") === true;
    if (!isPicking) {
      void answer(request, response);
      return;
    }
    pick(provider, settings.people, request, response).catch(() => {
      html(response, 400, problemPage("This sign-in is over, or was begun in another browser."));
    });
  });
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function configuration(apps: readonly string[], clientSecret: string): Configuration {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    adapter: ShortMemory,
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: apps.map((app) => `${app}/sign-in/callback`),
      },
    ],
    jwks: {
      keys: [
        {
          ...privateKey.export({ format: "jwk" }),
          use: "sig",
          alg: "RS256",
          kid: randomBytes(8).toString("hex"),
        },
      ],
    },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_, email) => ({
      accountId: email,
      claims: async () => ({ sub: email, email, email_verified: true }),
    }),
    // The App is ours: nobody is asked whether it may know who they are.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        ...(oidc.client && { clientId: oidc.client.clientId }),
        ...(oidc.session?.accountId && { accountId: oidc.session.accountId }),
      });
      grant.addOIDCScope("openid email");
      await grant.save();
      return grant;
    },
    renderError(ctx, { error, error_description: description }) {
      ctx.type = "html";
      ctx.body = problemPage(`${error}: ${description ?? ""}`);
    },
  };
}

/** Each sign-in asks: one person tries all the roles in one browser. */
function forgetWhoWasHere({ headers }: IncomingMessage): void {
  const others = headers.cookie?.split(/; */).filter((pair) => !pair.startsWith("_session"));
  if (others) headers.cookie = others.join("; ");
}

async function pick(
  provider: Provider,
  people: ProviderSettings["people"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== "POST") {
    html(response, 200, pickPage(request.url ?? "", people));
    return;
  }
  const email = new URLSearchParams(await text(request)).get("email") ?? "";
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    html(response, 400, problemPage("That is no e-mail address."));
    return;
  }
  const login = { accountId: email.toLowerCase(), remember: false };
  await provider.interactionFinished(request, response, { login });
}

async function text(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > FORM_MAX_BYTES) throw new Error("the form is too long");
  }
  return body;
}

function html(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(page);
}
