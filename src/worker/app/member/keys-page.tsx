// `GET /keys`: a person's keys, and what can be done to each.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../environment.ts";
import { count, Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Heading, Menu, Name, NoticeOf, State } from "../layout/parts.tsx";
import { Pages, pageOf, Table } from "../layout/table.tsx";
import { KeyNotices, readKeyNotices } from "./key-notices.tsx";
import { type OwnKey, readOwnKeys } from "./own-keys.ts";

/** What a form of these pages has done, named in its redirect. */
export const keyNotices = {
  renamed: "The key has its new name.",
  limited: "The key has its new limit, from the next request on.",
  revoked: "The key is revoked: the next request with it is refused.",
  "shown-before":
    "This key was created and shown before. It can't be shown again: if you did not copy it, revoke it and create another.",
} as const;

export function noticeUrl(notice: keyof typeof keyNotices): string {
  return `/keys?notice=${notice}`;
}

export async function showKeys(c: Context<AppEnv>): Promise<Response> {
  const [keys, told] = await Promise.all([readOwnKeys(c), readKeyNotices(c)]);
  const shown = pageOf(keys, c.req.query("page"));
  const create = (
    <a class="button" href="/keys/new">
      Create a key
    </a>
  );
  return page(
    c,
    { title: "API Keys", current: "keys" },
    <>
      <Heading title="API Keys">{keys.length === 0 ? undefined : create}</Heading>
      <NoticeOf name={c.req.query("notice")} notices={keyNotices} />
      <KeyNotices notices={told} on="keys" now={c.get("frame").startedAt} />
      {keys.length === 0 ? (
        <EmptyState title="You have no key yet.">
          <p>A key is what a program signs in with: the OpenAI SDK takes it as api_key.</p>
          {create}
        </EmptyState>
      ) : (
        <KeyTable keys={shown.rows} now={c.get("frame").startedAt} />
      )}
      <Pages of={shown} href={(number) => `/keys?page=${number}`} />
    </>,
  );
}

function KeyTable({ keys, now }: { keys: readonly OwnKey[]; now: number }): Child {
  return (
    <Table
      caption="Your API keys"
      rows={keys}
      columns={[
        { title: "Name", cell: ({ name }) => <Name>{name}</Name> },
        { title: "Key", cell: ({ start }) => <code>{start}…</code> },
        { title: "State", cell: (key) => <KeyStateOf of={key} now={now} /> },
        { title: "Last used", cell: (key) => <Time at={key.lastUsedAt} now={now} /> },
        { title: "Tokens this month", kind: "number", cell: (key) => <MonthOf of={key} /> },
        { title: "Created", cell: (key) => <Time at={key.createdAt} now={now} /> },
        { title: "Actions", kind: "actions", cell: (key) => <KeyMenu of={key} /> },
      ]}
    />
  );
}

function KeyStateOf({ of, now }: { of: OwnKey; now: number }): Child {
  switch (of.state) {
    case "revoked":
      return (
        <State kind="bad">
          revoked <Time at={of.revokedAt} now={now} />
        </State>
      );
    case "expired":
      return (
        <State kind="quiet">
          expired <Time at={of.expiresAt} now={now} />
        </State>
      );
    case "active":
      return (
        <State kind="good">
          active
          {of.expiresAt === null ? null : (
            <span class="quiet">
              , expires <Time at={of.expiresAt} now={now} />
            </span>
          )}
          {of.scope === "admin" ? <span class="quiet">, admin</span> : null}
        </State>
      );
  }
}

function MonthOf({ of }: { of: OwnKey }): Child {
  const used = count(of.tokensThisMonth);
  if (of.monthlyTokenLimit === null) return used;
  return (
    <>
      {used} <span class="quiet">of {count(of.monthlyTokenLimit)}</span>
    </>
  );
}

function KeyMenu({ of: { id, name, state } }: { of: OwnKey }): Child {
  if (state === "revoked") return null;
  const at = `/keys/${id}`;
  return (
    <Menu
      id={`menu-${id}`}
      of={name}
      items={[
        { href: `${at}/rename`, title: "Rename" },
        { href: `${at}/limit`, title: "Set limit" },
        { href: `${at}/revoke`, title: "Revoke", danger: true },
      ]}
    />
  );
}
