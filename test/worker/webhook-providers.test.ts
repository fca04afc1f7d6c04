// What Clerk and WorkOS send of their users means the same as our own events. The bodies are those of
// their documentation, shortened.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { WEBHOOK_TOLERANCE_MS } from "../../src/contract/key-events.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";
import type { bindings } from "./bindings.ts";
import { admin, audit, call, errorOf, newPerson, type Person, read } from "./calling.ts";
import { outcome, outcomes, send, sendAsWorkos } from "./sending-events.ts";

const { OIDC_ISSUER: issuer = "" } = env as unknown as ReturnType<typeof bindings>;

interface Known extends Person {
  email: string;
  subject: string;
}

/** A person who has signed in, so that the provider's id of them is known. */
async function signedIn(): Promise<Known> {
  const person = await newPerson();
  const { email } = await read<{ email: string }>(admin("GET", `/people/${person.id}`));
  const subject = `user_${person.id}`;
  const session = { hash: `session of ${person.id}`, agent: "Firefox on Linux" };
  const identity = { issuer, sub: subject, email, emailVerified: true };
  await directoryOf(env).signIn({ ...identity, firstAdmin: null, session });
  return { ...person, email, subject };
}

function clerkUser({ email, subject }: { email: string; subject: string }, more: object = {}) {
  return {
    ...{ id: subject, object: "user", first_name: "Ada", primary_email_address_id: "idn_1" },
    email_addresses: [
      { id: "idn_0", email_address: "other@example.org", verification: { status: "verified" } },
      { id: "idn_1", email_address: email, verification: { status: "verified" } },
    ],
    ...more,
  };
}

const clerk = (type: string, data: object, timestamp?: number) => ({
  ...{ type, object: "event", data, instance_id: "ins_1", timestamp },
});
const asSvix = { family: "svix" } as const;

async function isShutOut({ key }: Person): Promise<boolean> {
  return (await call("/v1/account", { key })).status === 403;
}

describe("Clerk", () => {
  test("that has deleted a user, of whom it says the id alone, disables the person", async () => {
    const person = await signedIn();
    const event = clerk("user.deleted", { deleted: true, id: person.subject, object: "user" });
    expect(await outcome(send(event, asSvix))).toBe("disabled");
    expect(await isShutOut(person)).toBe(true);
    const detail = {
      ...{ disabled: true, source: "clerk", subject: person.subject },
      reason: "deleted at the identity provider",
    };
    expect(await audit(person.id)).toContainEqual({
      who: "webhook",
      what: "person.change",
      detail,
    });
  });

  test("that bans a user and lets them in again does so here", async () => {
    const person = await signedIn();
    expect(await outcome(send(clerk("user.updated", clerkUser(person, { banned: true }))))).toBe(
      "disabled",
    );
    expect(await outcome(send(clerk("user.updated", clerkUser(person, { banned: false }))))).toBe(
      "enabled",
    );
    expect(await isShutOut(person)).toBe(false);
  });

  test("that changes a user whom an Admin has disabled lets nobody in", async () => {
    const person = await signedIn();
    await read(admin("PATCH", `/people/${person.id}`, { disabled: true }));
    expect(await outcome(send(clerk("user.updated", clerkUser(person, { banned: false }))))).toBe(
      "unchanged",
    );
    expect(await isShutOut(person)).toBe(true);
  });

  test("lifts nothing that another has imposed beside it", async () => {
    const person = await signedIn();
    const updated = (banned: boolean) => send(clerk("user.updated", clerkUser(person, { banned })));
    expect(await outcome(updated(true))).toBe("disabled");
    const left = { user_id: person.id, reason: "left" };
    expect(await outcome(send({ type: "user.disable", data: left }))).toBe("unchanged");
    expect(await outcome(updated(false))).toBe("unchanged");
    expect(await isShutOut(person)).toBe(true);
    expect(await audit(person.id)).toContainEqual({
      ...{ who: "webhook", what: "person.change" },
      detail: { disabled: true, source: "webhook", reason: "left" },
    });
  });

  test("that has deleted a user lets them in by no other user with their address", async () => {
    const person = await signedIn();
    const deleted = clerk("user.deleted", { deleted: true, id: person.subject });
    expect(await outcome(send(deleted))).toBe("disabled");
    const another = clerkUser({ ...person, subject: `again_${person.id}` }, { banned: false });
    expect(await outcome(send(clerk("user.updated", another)))).toBe("unchanged");
    expect(await isShutOut(person)).toBe(true);
  });

  test("whose word comes late lets nobody in whom it has shut out since", async () => {
    const person = await signedIn();
    const updated = (banned: boolean, at: number) =>
      outcome(send(clerk("user.updated", clerkUser(person, { banned }), at)));
    expect(await updated(true, 1_764_400_002_000)).toBe("disabled");
    expect(await updated(false, 1_764_400_001_000)).toBe("unchanged");
    expect(await isShutOut(person)).toBe(true);
    expect(await updated(false, 1_764_400_003_000)).toBe("enabled");
  });

  test("finds who has not signed in by their verified address, and by no other", async () => {
    const person = await newPerson();
    const { email } = await read<{ email: string }>(admin("GET", `/people/${person.id}`));
    const user = clerkUser({ email: email.toUpperCase(), subject: "user_new" }, { banned: true });
    const unverified = { ...user, email_addresses: [{ id: "idn_1", email_address: email }] };
    expect(await outcome(send(clerk("user.updated", unverified)))).toBe("unknown");
    expect(await isShutOut(person)).toBe(false);
    expect(await outcome(send(clerk("user.updated", user)))).toBe("disabled");
  });

  test("may tell of whatever else happens", async () => {
    expect(await outcome(send(clerk("session.created", { id: "sess_1" })))).toBe("ignored");
    expect(await outcome(send(clerk("user.updated", { id: "user_1" })))).toBe("ignored");
  });
});

const workos = (event: string, data: object, created_at = "2026-11-29T12:00:00.000Z") => ({
  ...{ id: `event_${crypto.randomUUID()}`, event, data, created_at },
});

describe("WorkOS", () => {
  test("that has deleted a user disables the person, in the form that it signs", async () => {
    const person = await signedIn();
    const event = workos("user.deleted", { object: "user", id: person.subject, email: "x@y.z" });
    expect(await outcome(sendAsWorkos(event))).toBe("disabled");
    expect(await isShutOut(person)).toBe(true);
  });

  test("whose directory makes a user inactive, and active again, is obeyed", async () => {
    const person = await newPerson();
    const { email } = await read<{ email: string }>(admin("GET", `/people/${person.id}`));
    const user = { object: "directory_user", id: "directory_user_1", emails: [] as object[] };
    const old = { ...user, emails: [{ type: "work", primary: true, value: email }] };
    const updated = (data: object) => outcome(sendAsWorkos(workos("dsync.user.updated", data)));
    expect(await updated({ ...old, state: "inactive" })).toBe("disabled");
    expect(await updated({ ...user, email, state: "active" })).toBe("enabled");
    expect(await outcome(sendAsWorkos(workos("dsync.user.deleted", { ...user, email })))).toBe(
      "disabled",
    );
    expect(await isShutOut(person)).toBe(true);
  });

  test("lifts nothing that another has imposed", async () => {
    const person = await signedIn();
    await outcomes(send({ type: "user.disable", data: { user_id: person.id } }));
    const active = { id: person.subject, email: person.email, state: "active" };
    expect(await outcome(sendAsWorkos(workos("dsync.user.updated", active)))).toBe("unchanged");
  });

  test("whose word comes late lets nobody in whom it has deleted since", async () => {
    const person = await signedIn();
    const user = { id: person.subject, email: person.email };
    expect(await outcome(sendAsWorkos(workos("user.deleted", user)))).toBe("disabled");
    const late = workos("dsync.user.updated", { ...user, state: "active" }, "2026-11-29T11:59:59Z");
    expect(await outcome(sendAsWorkos(late))).toBe("unchanged");
    expect(await isShutOut(person)).toBe(true);
  });

  test("is answered the same when it sends an event again", async () => {
    const person = await signedIn();
    const event = workos("user.deleted", { id: person.subject });
    expect(await outcome(sendAsWorkos(event))).toBe("disabled");
    await read(admin("PATCH", `/people/${person.id}`, { disabled: false }));
    expect(await outcome(sendAsWorkos(event, { at: Date.now() + 1_000 }))).toBe("disabled");
    expect(await isShutOut(person)).toBe(false);
  });

  test.each([
    ["another secret", { secret: "the secret of a stranger" }],
    ["a time long ago", { at: Date.now() - WEBHOOK_TOLERANCE_MS - 60_000 }],
    ["a time to come", { at: Date.now() + WEBHOOK_TOLERANCE_MS + 60_000 }],
  ])("is not who signs with %s", async (_, signing) => {
    const error = await errorOf(sendAsWorkos(workos("user.deleted", { id: "user_1" }), signing));
    expect(error).toMatchObject({ status: 401, code: "invalid_signature" });
  });

  test("must give its event an id", async () => {
    const { id: _, ...without } = workos("user.deleted", { id: "user_1" });
    expect(await errorOf(sendAsWorkos(without))).toMatchObject({ status: 400, param: "id" });
  });
});
