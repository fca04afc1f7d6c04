// What every page stands in: the way around, the content, the foot. Works for strangers too.
import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../environment.ts";
import { type AssetName, assetUrl } from "../assets.ts";
import { maybeSignedIn, type SignedIn } from "../session.ts";
import { count } from "./amounts.tsx";

type NavName =
  | "home"
  | "keys"
  | "usage"
  | "jobs"
  | "models"
  | "workbench"
  | "loom"
  | "compare"
  | "webhooks"
  | "requests"
  | "people"
  | "spend"
  | "audit"
  | "docs"
  | "sessions";

interface NavEntry {
  name: NavName;
  href: string;
  title: string;
}

const memberNav: readonly NavEntry[] = [
  { name: "home", href: "/", title: "Home" },
  { name: "keys", href: "/keys", title: "API Keys" },
  { name: "usage", href: "/usage", title: "Usage" },
  { name: "jobs", href: "/jobs", title: "Jobs" },
  { name: "workbench", href: "/workbench", title: "Workbench" },
  { name: "loom", href: "/loom", title: "Loom" },
  { name: "compare", href: "/compare", title: "Compare" },
  { name: "models", href: "/models", title: "Models" },
  { name: "webhooks", href: "/webhooks", title: "Webhooks" },
  { name: "docs", href: "/docs", title: "Docs" },
];

const adminNav: readonly NavEntry[] = [
  { name: "requests", href: "/admin/requests", title: "Requests" },
  { name: "people", href: "/admin/people", title: "People" },
  { name: "spend", href: "/admin/spend", title: "Spend" },
  { name: "audit", href: "/admin/audit", title: "Audit" },
];

export interface PageOptions {
  title: string;
  current?: NavName;
  /** 200 if absent. */
  status?: number;
  /** What this page does beyond what all do. */
  script?: AssetName;
  /** What it looks like beyond what all do. */
  look?: AssetName;
}

/** An HTML answer: the content inside the layout. */
export function page(
  c: Context<AppEnv>,
  options: PageOptions,
  content: Child,
): Response | Promise<Response> {
  const { title, current, status = 200, script, look } = options;
  c.header("content-type", "text/html; charset=utf-8");
  c.status(status as 200);
  return c.html(
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{title === "Continuo" ? title : `${title} · Continuo`}</title>
          <link rel="icon" href={assetUrl("icon.svg")} type="image/svg+xml" />
          <link rel="stylesheet" href={assetUrl("look.css")} />
          {look === undefined ? null : <link rel="stylesheet" href={assetUrl(look)} />}
          <script src={assetUrl("htmx.js")} defer />
          <script src={assetUrl("page.js")} defer />
          {script === undefined ? null : <script src={assetUrl(script)} defer />}
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <Header who={maybeSignedIn(c)} current={current} />
          <main id="content" tabindex={-1}>
            {content}
          </main>
          <footer>
            <a href="/docs">Docs</a>
            <a href="/docs/reference/errors">Errors</a>
            <Support contact={c.get("services").configuration.SUPPORT_CONTACT} />
          </footer>
        </body>
      </html>
    </>,
  );
}

/** Whom to write to, as the operator set it: an e-mail address or a page. */
function Support({ contact }: { contact: string | undefined }): Child {
  if (contact === undefined) return <a href="/docs/start/get-help">Get help</a>;
  const href = contact.includes("://") ? contact : `mailto:${contact}`;
  return (
    <span>
      Help: <a href={href}>{contact}</a>
    </span>
  );
}

function Header(props: { who: SignedIn | null; current: NavName | undefined }): Child {
  const { who, current } = props;
  return (
    <header>
      <a class="brand" href="/">
        Continuo
      </a>
      {who === null ? null : (
        <>
          <nav aria-label="Main">
            <Links entries={memberNav} current={current} />
            {who.person.role === "admin" ? (
              <>
                <span class="nav-part">Admin</span>
                <Links entries={adminNav} current={current} open={who.openRequests} />
              </>
            ) : null}
          </nav>
          <div class="who">
            <a
              href="/sessions"
              class="name"
              title={who.person.email}
              aria-current={current === "sessions" ? "page" : undefined}
            >
              {who.person.email}
            </a>
            <form method="post" action="/sign-out">
              <button type="submit" class="plain">
                Sign out
              </button>
            </form>
          </div>
        </>
      )}
    </header>
  );
}

function Links(props: {
  entries: readonly NavEntry[];
  current: NavName | undefined;
  /** Shown beside Requests. */
  open?: number;
}): Child {
  const { entries, current, open = 0 } = props;
  return entries.map(({ name, href, title }) => (
    <a href={href} aria-current={name === current ? "page" : undefined}>
      {title}
      {name === "requests" && open > 0 ? (
        <span class="badge">
          {count(open)}
          <span class="for-readers"> open</span>
        </span>
      ) : null}
    </a>
  ));
}
