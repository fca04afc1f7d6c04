// What an event of /webhooks/keys asks for. Decides only; no I/O, no clock.
import type { KeyEvent } from "../contract/key-events.ts";

export type Wish =
  | { wish: "revoke"; by: { key: string } | { keyId: string } | { hash: string }; reason: string }
  | { wish: "disable"; whom: Whom; sender: Sender; reason: string; at: number | null }
  | { wish: "enable"; whom: Whom; sender: Sender; reason: string; at: number | null }
  | { wish: "nothing" };

/** A provider's user is sought by the id that it signs in with, then by the address. */
export type Whom =
  | { personId: string }
  | { email: string }
  | { subject: string; email: string | null };

type Sender = "webhook" | "clerk" | "workos";

export function eventName(event: KeyEvent): string {
  if ("ignored" in event) return event.ignored;
  return "event" in event ? event.event : event.type;
}

export function wishOf(event: KeyEvent): Wish {
  if ("ignored" in event) return { wish: "nothing" };
  if ("event" in event) return workosWish(event);
  switch (event.type) {
    case "key.revoke": {
      const { key, key_id: keyId, sha256: hash, reason } = event.data;
      const by =
        key !== undefined ? { key } : keyId !== undefined ? { keyId } : { hash: hash ?? "" };
      return { wish: "revoke", by, reason: reason || "revoked by webhook" };
    }
    case "user.disable":
      return { wish: "disable", sender: "webhook", at: null, ...named(event.data) };
    case "user.enable":
      return { wish: "enable", sender: "webhook", at: null, ...named(event.data) };
    case "user.deleted":
      return { ...deleted, whom: { subject: event.data.id, email: null }, ...byClerk(event) };
    case "user.updated": {
      const { id: subject, banned } = event.data;
      if (banned === undefined) return { wish: "nothing" };
      const whom = { subject, email: clerkEmail(event.data) };
      return { ...(banned ? shutOut : letIn), whom, ...byClerk(event) };
    }
  }
}

const deleted = { wish: "disable", reason: "deleted at the identity provider" } as const;
const shutOut = { wish: "disable", reason: "shut out at the identity provider" } as const;
const letIn = { wish: "enable", reason: "let in again at the identity provider" } as const;

type Own = Extract<KeyEvent, { type: "user.disable" }>;
type Clerk = Extract<KeyEvent, { type: "user.updated" | "user.deleted" }>;
type Workos = Extract<KeyEvent, { event: string }>;

function named({ user_id: personId, email, reason }: Own["data"]) {
  return { whom: personId !== undefined ? { personId } : { email: email ?? "" }, reason };
}

function byClerk({ timestamp }: Clerk) {
  return { sender: "clerk", at: timestamp ?? null } as const;
}

/** Only a verified address names anybody: its user could else have another shut out. */
function clerkEmail({ primary_email_address_id: primary, email_addresses }: Clerk["data"]) {
  const address = email_addresses.find(({ id }) => id === primary);
  return address?.verification?.status === "verified" ? address.email_address.toLowerCase() : null;
}

function workosWish({ event, data, created_at }: Workos): Wish {
  const primary = data.emails.find((address) => address.primary === true)?.value;
  const email = data.email_verified === false ? null : (data.email ?? primary ?? null);
  const whom = { subject: data.id, email: email?.toLowerCase() ?? null };
  const said = { whom, sender: "workos", at: created_at ?? null } as const;
  if (event !== "dsync.user.updated") return { ...deleted, ...said };
  switch (data.state) {
    case "active":
      return { ...letIn, ...said };
    case "inactive":
    case "suspended":
      return { ...shutOut, ...said };
    default:
      return { wish: "nothing" };
  }
}
