// Sign-in by OpenID Connect: Authorization Code with PKCE, state and nonce. The browser goes to the
// provider with `start` and comes back to `finish`, which asks the Directory whether this is somebody.
import type { Context } from "hono";
import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from "oauth4webapi";
import { directoryOf } from "../../../durable-objects/objects.ts";
import { newAccountId } from "../../auth/api-key.ts";
import { openAccount } from "../../deeds/open-account.ts";
import type { AppEnv } from "../../environment.ts";
import { countFailedSignIn, refuseShutSignIn } from "../../guard/door.ts";
import { appOrigin } from "../guard.ts";
import { errorPage } from "../layout/error-page.tsx";
import {
  clearSessionCookie,
  endAppKeysOf,
  endSessionOf,
  newSession,
  readSession,
  setSessionCookie,
} from "../session.ts";
import { agentWords } from "./agent.ts";
import { judgeFailure } from "./judge-failure.ts";
import { keepProgress, type Progress, takeProgress } from "./progress.ts";
import { authorizationUrl, findProvider, type Identity, identify, readAnswer } from "./provider.ts";
import { refusals, type SignInRefusal } from "./refusals.ts";
import { returnPath } from "./return-path.ts";
import { contact } from "./sign-in-page.tsx";

/** `GET /sign-in/start?to=&as=another`: off to the provider. */
export async function startSignIn(c: Context<AppEnv>): Promise<Response> {
  const { startedAt } = c.get("frame");
  const progress: Progress = {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    codeVerifier: generateRandomCodeVerifier(),
    to: returnPath(c.req.query("to"), new URL(c.req.url).origin),
    beganAt: startedAt,
  };
  try {
    const provider = await findProvider(c.get("services").configuration, startedAt);
    if (provider === null) return refuse(c, "not_configured");
    const askAgain = c.req.query("as") === "another";
    const url = await authorizationUrl(provider, progress, { redirectUri: callback(c), askAgain });
    await keepProgress(c, progress);
    return c.redirect(url, 303);
  } catch (failure) {
    return refuseFailure(c, "discovery", failure);
  }
}

/** `GET /sign-in/callback`: back from the provider, with its answer in the address. */
export async function finishSignIn(c: Context<AppEnv>): Promise<Response> {
  refuseShutSignIn(c);
  const progress = await takeProgress(c);
  if (progress === "none") return refuse(c, "not_in_progress");
  if (progress === "expired") return refuse(c, "expired");
  let stage: Parameters<typeof judgeFailure>[0] = "discovery";
  try {
    const provider = await findProvider(c.get("services").configuration, c.get("frame").startedAt);
    if (provider === null) return refuse(c, "not_configured");
    stage = "answer";
    const parameters = readAnswer(provider, progress, new URL(c.req.url));
    stage = "exchange";
    const answer = { parameters, redirectUri: callback(c) };
    return await enter(c, await identify(provider, progress, answer), progress.to);
  } catch (failure) {
    return refuseFailure(c, stage, failure);
  }
}

/** `POST /sign-out`: the session is over, whoever else has its cookie. */
export async function signOut(c: Context<AppEnv>): Promise<Response> {
  await endOwnSession(c);
  clearSessionCookie(c);
  return c.redirect("/sign-in?notice=signed-out", 303);
}

async function enter(c: Context<AppEnv>, identity: Identity, to: string): Promise<Response> {
  const { FIRST_ADMIN_EMAIL } = c.get("services").configuration;
  const isFirstAdmin = identity.email.toLowerCase() === FIRST_ADMIN_EMAIL;
  const { id, hash } = await newSession();
  const answer = await directoryOf(c.env).signIn({
    ...identity,
    firstAdmin: isFirstAdmin ? { id: newAccountId() } : null,
    session: { hash, agent: agentWords(c.req.header("user-agent")) },
  });
  if (answer.outcome !== "signed_in") return refuse(c, answer.outcome);
  // Nobody invited the first Admin, and an invite may have broken off before it opened the Account. An
  // open one stays as it is.
  await openAccount(c, answer.person);
  await endAppKeysOf(c, answer.person.id, answer.madeRoom);
  await endOwnSession(c);
  setSessionCookie(c, id);
  return c.redirect(to, 303);
}

/** Of the browser that asks, if it has one. */
async function endOwnSession(c: Context<AppEnv>): Promise<void> {
  const before = await readSession(c);
  if (before === null) return;
  await endSessionOf(c, before.person.id, before.sessionId);
}

function callback(c: Context<AppEnv>): string {
  return `${appOrigin(c)}/sign-in/callback`;
}

function refuseFailure(
  c: Context<AppEnv>,
  stage: Parameters<typeof judgeFailure>[0],
  failure: unknown,
): Response | Promise<Response> {
  const judged = judgeFailure(stage, failure);
  if (judged === null) throw failure;
  return refuse(c, judged.refusal, judged.code);
}

/** Logs the reason alone: neither who it was nor anything that was sent. */
function refuse(
  c: Context<AppEnv>,
  refusal: SignInRefusal,
  code?: string,
): Response | Promise<Response> {
  const { requestId } = c.get("frame");
  if (isTheirs(refusal)) countFailedSignIn(c);
  console.warn({ event: "sign_in_refused", requestId, refusal, ...(code && { code }) });
  const { status, title, sentence, next } = refusals[refusal];
  const { ACCESS_CONTACT } = c.get("services").configuration;
  const message = refusal === "not_invited" ? `${sentence} ${contact(ACCESS_CONTACT)}` : sentence;
  return errorPage(c, { status, title, message, link: links[next] });
}

/** What is our fault or the provider's is held against nobody. */
function isTheirs(refusal: SignInRefusal): boolean {
  return refusals[refusal].status < 500;
}

const links = {
  again: { href: "/sign-in", title: "Sign in again" },
  another: { href: "/sign-in/start?as=another", title: "Sign in as somebody else" },
  nothing: { href: "/sign-in", title: "Back" },
} as const;
