// The door of the App. Every answer below `appPaths` passes `guardApp`; a page that shows something of
// somebody also has `requireSession` or `requireAdminPage`, route by route.
import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "../environment.ts";
import { errorPage } from "./layout/error-page.tsx";
import { readSession, signedIn } from "./session.ts";

/** Where pages are, as Hono's patterns; beside them is the API, which answers no cookie. */
export const appPaths = [
  "/",
  "/sign-in/*",
  "/sign-out",
  "/sessions/*",
  "/keys/*",
  "/usage/*",
  "/jobs/*",
  "/app/*",
  "/workbench/*",
  "/loom/*",
  "/compare/*",
  "/models/*",
  // Each by itself: beside them is what other services post to.
  "/webhooks",
  "/webhooks/endpoints/*",
  "/webhooks/deliveries/*",
  "/admin/*",
  "/assets/*",
  "/docs/*",
  "/llms.txt",
] as const;

/** Whether something asks there for a page, so that a person reads what is answered. */
export function asksForPage(c: Context<AppEnv>): boolean {
  const isThere = appPaths.some((pattern) => {
    const path = pattern.replace(/\/\*$/, "");
    return c.req.path === path || (path !== pattern && c.req.path.startsWith(`${path}/`));
  });
  return isThere && (c.req.header("accept") ?? "").includes("text/html");
}

const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  // Chromium holds a form's redirects to it too: a form that leads to the OpenID provider is cut off,
  // so the way there begins with a link.
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const securityHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  // Not no-referrer: with it a browser sends its own forms with `Origin: null`.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Headers on whatever the App answers, and 403 for what another site's page sends. */
export function guardApp(): MiddlewareHandler<AppEnv> {
  return async function appGuard(c, next) {
    if (SAFE_METHODS.includes(c.req.method) || isFromHere(c)) await next();
    else c.res = await foreign(c);
    for (const [name, value] of Object.entries(securityHeaders)) c.res.headers.set(name, value);
    // Assets say themselves how long they are good for.
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
  };
}

/** Lets in whoever is signed in. A stranger's GET goes to the sign-in page and comes back from it. */
export function requireSession(): MiddlewareHandler<AppEnv> {
  return async function sessionGuard(c, next) {
    if ((await readSession(c)) !== null) return next();
    if (c.req.method !== "GET" && c.req.method !== "HEAD") return signedOut(c);
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/sign-in?${new URLSearchParams({ to: pathname + search })}`, 303);
  };
}

/** Lets in Admins alone; includes `requireSession`. */
export function requireAdminPage(): MiddlewareHandler<AppEnv> {
  const session = requireSession();
  return async function adminGuard(c, next) {
    return session(c, async () => {
      if (signedIn(c).person.role === "admin") await next();
      else c.res = await membersOnly(c);
    });
  };
}

/** The address of this deployment, without a trailing slash: also what the provider sends people to. */
export function appOrigin(c: Context<AppEnv>): string {
  return c.get("services").configuration.APP_URL ?? new URL(c.req.url).origin;
}

/** Every browser says where a form comes from; what does not say it is not served. */
function isFromHere(c: Context<AppEnv>): boolean {
  const origin = c.req.header("origin");
  return origin === appOrigin(c) || origin === new URL(c.req.url).origin;
}

function foreign(c: Context<AppEnv>): Response | Promise<Response> {
  return errorPage(c, {
    status: 403,
    title: "Sent from another site",
    message:
      "Nothing was changed, since this form was not sent by a page of this service. Open the page here and send it again.",
  });
}

function signedOut(c: Context<AppEnv>): Response | Promise<Response> {
  return errorPage(c, {
    status: 401,
    title: "You are signed out",
    message: "Nothing was changed. Sign in, then send the form again.",
    link: { href: "/sign-in", title: "Sign in" },
  });
}

function membersOnly(c: Context<AppEnv>): Response | Promise<Response> {
  return errorPage(c, {
    status: 403,
    title: "For Admins",
    message: "Only an Admin may open this page. Ask an Admin to make you one, or go back.",
  });
}
