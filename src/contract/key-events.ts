// What may be posted to /webhooks/keys: events of our own, and those by which Clerk and WorkOS tell of
// a user who is deleted, banned or let in again. Other events of theirs are taken and ignored: a sender
// that is refused would send them for days.
// Clerk: https://clerk.com/docs/webhooks/overview, with the User object of its Backend API.
// WorkOS: https://workos.com/docs/events (`user.*`, `dsync.user.*`).
import { z } from "zod";
import { NAME_MAX_CHARACTERS, NOTE_MAX_CHARACTERS } from "./limits.ts";

/** A hundred events a body: each may take three calls of objects, and a request has a thousand. */
export const KEY_EVENTS_MOST = 100;

/**
 * A hundred events of one's own, or some twenty users as Clerk describes them, who sends one at a time.
 * Strangers' bodies are hashed too, in the library's JavaScript: some 10 ms for so much and each secret.
 */
export const KEY_EVENTS_MAX_BYTES = 131_072;

/** Standard Webhooks' own tolerance for a clock that is off and for a replay. */
export const WEBHOOK_TOLERANCE_MS = 300_000;

const shortText = z.string().min(1).max(NAME_MAX_CHARACTERS);
const reason = z.string().trim().max(NOTE_MAX_CHARACTERS).default("");
const email = z.email().max(NAME_MAX_CHARACTERS).toLowerCase();

/** Exactly one of these fields says what is meant. */
function oneOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z
    .strictObject({ ...shape, reason })
    .refine(
      (data) => names.filter((name) => Object.hasOwn(data, name)).length === 1,
      `needs exactly one of ${names.join(", ")}`,
    );
}

const whom = oneOf({ user_id: shortText.optional(), email: email.optional() });

const KeyRevoke = z.object({
  type: z.literal("key.revoke"),
  data: oneOf({
    key: shortText.optional(),
    key_id: shortText.optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, "is no SHA-256 in hex")
      .toLowerCase()
      .optional(),
  }),
});
const UserDisable = z.object({ type: z.literal("user.disable"), data: whom });
const UserEnable = z.object({ type: z.literal("user.enable"), data: whom });

const ClerkAddress = z.object({
  id: z.string(),
  email_address: z.string(),
  verification: z.object({ status: z.string() }).nullish(),
});
/** When it happened, in ms; null where it is not said: then it counts as it comes. */
const happenedAt = z.coerce
  .date()
  .transform((date) => date.getTime())
  .nullish()
  .catch(null);
const ClerkUser = z.object({
  id: shortText,
  banned: z.boolean().optional(),
  primary_email_address_id: z.string().nullish(),
  email_addresses: z.array(ClerkAddress).default([]),
});
/** Of a deleted user Clerk tells nothing but the id. */
const ClerkDeleted = z.object({
  ...{ type: z.literal("user.deleted"), data: ClerkUser, timestamp: happenedAt },
});
const ClerkUpdated = z.object({
  ...{ type: z.literal("user.updated"), data: ClerkUser, timestamp: happenedAt },
});

const WorkosUser = z.object({
  id: shortText,
  email: z.string().nullish(),
  email_verified: z.boolean().optional(),
  /** A directory's user has them in this form too. */
  emails: z.array(z.object({ primary: z.boolean().nullish(), value: z.string() })).default([]),
  state: z.string().optional(),
});
const workos = <Name extends string>(name: Name) =>
  z.object({ event: z.literal(name), data: WorkosUser, created_at: happenedAt });

const own = { "key.revoke": KeyRevoke, "user.disable": UserDisable, "user.enable": UserEnable };
const clerk = { "user.deleted": ClerkDeleted, "user.updated": ClerkUpdated };
const ofWorkos = {
  "user.deleted": workos("user.deleted"),
  "dsync.user.deleted": workos("dsync.user.deleted"),
  "dsync.user.updated": workos("dsync.user.updated"),
};

type Schemas = ReadonlyMap<string, z.ZodType<KnownEvent>>;

const byType: Schemas = new Map(Object.entries({ ...own, ...clerk }));
const byEvent: Schemas = new Map(Object.entries(ofWorkos));

type KnownEvent =
  | z.infer<(typeof own)[keyof typeof own]>
  | z.infer<(typeof clerk)[keyof typeof clerk]>
  | z.infer<(typeof ofWorkos)[keyof typeof ofWorkos]>;

export type KeyEvent = KnownEvent | { ignored: string };

/** WorkOS names its events in `event`, everybody else in `type`. */
const Named = z.union([
  z.looseObject({ type: shortText }),
  z.looseObject({ event: shortText, type: z.undefined().optional() }),
]);

const Event = z.unknown().transform((raw, context): KeyEvent => {
  const named = Named.safeParse(raw);
  if (!named.success) {
    context.addIssue({ code: "custom", message: "is no event: it has no type" });
    return z.NEVER;
  }
  const name = named.data.type ?? String(named.data.event);
  const schema = (named.data.type === undefined ? byEvent : byType).get(name);
  if (schema === undefined) return { ignored: name };
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const unknown = issue.code === "unrecognized_keys" ? ` (${issue.keys.join(", ")})` : "";
    const message = unknown === "" ? issue.message : `has a field that is none of it${unknown}`;
    context.addIssue({ code: "custom", path: issue.path, message });
  }
  return z.NEVER;
});

/** One event, or several in an array. */
export const KeyEvents = z
  .union([
    z.array(z.unknown()).transform((events) => events),
    z.unknown().transform((event) => [event]),
  ])
  .pipe(z.array(Event).min(1).max(KEY_EVENTS_MOST));
