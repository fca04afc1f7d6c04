// What a person is told of keys of theirs that others revoked, on Home and on API Keys, until they put
// it away.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { KeyNotice, RevocationSource } from "../../../contract/directory.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { Time } from "../layout/amounts.tsx";
import { Name } from "../layout/parts.tsx";
import { readForm } from "../read-form.ts";
import { signedIn } from "../session.ts";

const sources: Readonly<Record<RevocationSource, string>> = {
  admin: "by an Admin",
  webhook: "by a webhook of whoever runs this service",
  github: "because GitHub found it in public",
};

/** The pages that show them, where a form leads back to. */
const pages = { home: "/", keys: "/keys" } as const;

export function readKeyNotices(c: Context<AppEnv>): Promise<KeyNotice[]> {
  return directoryOf(c.env).keyNotices(signedIn(c).person.id);
}

export function KeyNotices(props: {
  notices: readonly KeyNotice[];
  on: keyof typeof pages;
  now: number;
}): Child {
  const { notices, on, now } = props;
  return notices.map(({ keyId, keyName, keyStart, at, source, why }) => (
    <div class="notice notice-problem key-notice" role="alert">
      <p>
        Your key <Name>{keyName}</Name> (<code>{keyStart}…</code>) was revoked{" "}
        <Time at={at} now={now} /> {sources[source]}. The reason: <span dir="auto">{why}</span>
      </p>
      <form method="post" action={`/keys/${keyId}/dismiss`}>
        <input type="hidden" name="page" value={on} />
        <button type="submit" class="plain" aria-label={`Dismiss the notice of ${keyName}`}>
          Dismiss
        </button>
      </form>
    </div>
  ));
}

/** `POST /keys/:id/dismiss`. Sent twice it is one dismissal. */
export async function dismissKeyNotice(c: Context<AppEnv>): Promise<Response> {
  const { page } = await readForm(c);
  const told = signedIn(c).person.id;
  if (!(await directoryOf(c.env).dismissKeyNotice(told, c.req.param("id") ?? ""))) {
    throw new Refused({ code: "not_found", message: "There is no such notice of yours." });
  }
  return c.redirect(page === "home" ? pages.home : pages.keys, 303);
}
