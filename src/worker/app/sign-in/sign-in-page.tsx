import type { Context } from "hono";
import type { AppEnv } from "../../environment.ts";
import { appOrigin } from "../guard.ts";
import { page } from "../layout/page.tsx";
import { NoticeOf } from "../layout/parts.tsx";
import { readSession } from "../session.ts";
import { returnPath } from "./return-path.ts";

const notices = { "signed-out": "You are signed out." };

/** `GET /sign-in?to=`: one button, what this is, and how to get in. */
export async function showSignIn(c: Context<AppEnv>): Promise<Response> {
  const to = returnPath(c.req.query("to"), new URL(c.req.url).origin);
  if ((await readSession(c)) !== null) return c.redirect(to, 303);
  const { OIDC_ISSUER, ACCESS_CONTACT } = c.get("services").configuration;
  const content = (
    <>
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      <h1>Continuo</h1>
      <p>
        An inference API for base models: raw next-token models that continue text.
        <br />
        Point the OpenAI SDK's <code>base_url</code> at <code>{appOrigin(c)}/v1</code>, then sample
        and score.
        <br />
        Every token that you spend, and every log-probability that you get, is exact.
      </p>
      {OIDC_ISSUER === undefined ? (
        <p>
          Sign-in is not configured: whoever runs this service sets <code>OIDC_ISSUER</code> first.
        </p>
      ) : (
        <p>
          {/* A link: the content security policy holds a form's redirects to this site. */}
          <a class="button" href={`/sign-in/start?${new URLSearchParams({ to })}`}>
            Sign in
          </a>
        </p>
      )}
      <h2>How to get access</h2>
      <p>
        Access is by invite, to the e-mail address that you sign in with. {contact(ACCESS_CONTACT)}
      </p>
    </>
  );
  return page(c, { title: "Sign in" }, content);
}

/** Whom to ask, as the operator words it. */
export function contact(configured: string | undefined): string {
  return configured ?? "Ask an Admin of this service for one.";
}
