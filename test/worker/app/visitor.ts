// A browser of somebody who is signed in, as far as the Worker sees one: a cookie, forms, an origin.
import { env, exports } from "cloudflare:workers";
import { directoryOf } from "../../../src/durable-objects/objects.ts";
import { newSession } from "../../../src/worker/app/session.ts";
import { admin, ORIGIN, read } from "../calling.ts";

type Form = Record<string, string> | FormData;

export interface Visitor {
  id: string;
  email: string;
  /** A page. Redirects are not followed. */
  get(path: string): Promise<Response>;
  /** A form, also one with a file; from another site with `origin`. */
  post(path: string, form?: Form, origin?: string | null): Promise<Response>;
}

/** A person who was invited and has signed in. */
export async function newVisitor(
  options: { role?: "member" | "admin"; email?: string; address?: string } = {},
): Promise<Visitor> {
  const { role = "member", email = `${crypto.randomUUID()}@example.org`, address } = options;
  const { id } = await read<{ id: string }>(admin("POST", "/people", { email, role }));
  const session = await newSession();
  const signedIn = await directoryOf(env).signIn({
    ...{ issuer: "https://openid.test", sub: id, email, emailVerified: true, firstAdmin: null },
    session: { hash: session.hash, agent: "a test" },
  });
  if (signedIn.outcome !== "signed_in") throw new Error(`not signed in: ${signedIn.outcome}`);
  const from = address === undefined ? {} : { "cf-connecting-ip": address };
  return { id, email, ...browser({ cookie: `__Host-continuo=${session.id}`, ...from }) };
}

/** Nobody: no session. */
export const stranger = browser({});

function browser(headers: Record<string, string>): Pick<Visitor, "get" | "post"> {
  const accept = "text/html,application/xhtml+xml";
  return {
    get: (path) =>
      exports.default.fetch(`${ORIGIN}${path}`, {
        headers: { accept, ...headers },
        redirect: "manual",
      }),
    post: (path, form = {}, origin = ORIGIN) =>
      exports.default.fetch(`${ORIGIN}${path}`, {
        method: "POST",
        headers: { accept, ...headers, ...(origin !== null && { origin }) },
        body: form instanceof FormData ? form : new URLSearchParams(form),
        redirect: "manual",
      }),
  };
}

/** The page that a form led to: it must have been obeyed. */
export async function followed(visitor: Pick<Visitor, "get">, answer: Response): Promise<string> {
  const location = answer.headers.get("location");
  if (answer.status !== 303 || location === null) {
    throw new Error(`no redirect but ${answer.status}: ${await words(answer)}`);
  }
  return words(await visitor.get(location));
}

/** What a page says, without its tags. */
export async function words(answer: Response | Promise<Response>): Promise<string> {
  const html = await (await answer).text();
  const main = html.replace(/^.*?<main[^>]*>/s, "").replace(/<\/main>.*$/s, "");
  return main
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/g, " ")
    .trim();
}
