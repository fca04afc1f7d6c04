// Events of keys and people: what each does, who may send them, and what a second delivery does.
import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { KEY_EVENTS_MAX_BYTES, WEBHOOK_TOLERANCE_MS } from "../../src/contract/key-events.ts";
import { accountOf, directoryOf } from "../../src/durable-objects/objects.ts";
import { newAccountId, sha256 } from "../../src/worker/auth/api-key.ts";
import { newVisitor } from "./app/visitor.ts";
import { webhookSecrets } from "./bindings.ts";
import { admin, audit, call, errorOf, newPerson, read, view } from "./calling.ts";
import { KEYS_PATH, outcome, outcomes, type Sending, send } from "./sending-events.ts";

const revoke = (data: object) => ({ type: "key.revoke", timestamp: "2026-11-29T12:00:00Z", data });
const disable = (data: object) => ({ type: "user.disable", data });
const enable = (data: object) => ({ type: "user.enable", data });

describe("key.revoke", () => {
  test.each([
    ["the key itself", async (key: string, _: string) => ({ key })],
    ["its id", async (_: string, key_id: string) => ({ key_id })],
    ["its SHA-256", async (key: string, _: string) => ({ sha256: await sha256(key) })],
    [
      "its SHA-256 in upper case",
      async (key: string, _: string) => ({ sha256: (await sha256(key)).toUpperCase() }),
    ],
  ])("by %s: the next request is refused, and says when and why", async (_, clue) => {
    const { key, keyId } = await newPerson();
    const event = revoke({ ...(await clue(key, keyId)), reason: "in a gist" });
    expect(await outcomes(send(event))).toEqual([
      { type: "key.revoke", outcome: "revoked", key_id: keyId },
    ]);
    const error = await errorOf(call("/v1/account", { key }));
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(error.message).toMatch(/revoked at 20\d\d-.*Z \(in a gist\)/);
  });

  test("is in the audit log with its source and reason, and told to the person", async () => {
    const { id, key, keyId } = await newPerson();
    await outcomes(send(revoke({ key, reason: "in a gist" })));
    const detail = { keyId, reason: "in a gist", source: "webhook" };
    expect(await audit(id)).toContainEqual({ who: "webhook", what: "key.revoke", detail });
    const told = await directoryOf(env).keyNotices(id);
    expect(told).toMatchObject([{ keyId, keyName: "key", source: "webhook", why: "in a gist" }]);
    expect(key.startsWith(told[0]?.keyStart ?? "nothing")).toBe(true);
  });

  test("keeps a key out of whatever it says of why", async () => {
    const { id, key } = await newPerson();
    await outcomes(send(revoke({ key, reason: `seen as ${key} in a log` })));
    const rows = JSON.stringify([await audit(id), await directoryOf(env).keyNotices(id)]);
    expect(rows).toContain("seen as ctn_… in a log");
    expect(rows).not.toContain(key);
  });

  test("of a key that was revoked before keeps the first reason", async () => {
    const { id, key, keyId } = await newPerson();
    await read(admin("POST", `/keys/${keyId}/revoke`, { reason: "rotated" }));
    expect(await outcome(send(revoke({ key, reason: "in a gist" })))).toBe("unchanged");
    expect((await errorOf(call("/v1/account", { key }))).message).toContain("rotated");
    expect(await directoryOf(env).keyNotices(id)).toMatchObject([{ why: "rotated" }]);
  });

  test.each([
    ["a key that is made up", { key: `ctn_${"a".repeat(16)}_${"b".repeat(40)}` }],
    ["something else", { key: "sk-123" }],
    ["an id of nobody's key", { key_id: `key_${"a".repeat(16)}_1` }],
    ["an id that is none", { key_id: "x" }],
    ["another hash", { sha256: "0".repeat(64) }],
  ])("of %s is answered that it is unknown", async (_, clue) => {
    expect(await outcome(send(revoke(clue)))).toBe("unknown");
  });

  test("of one that the App made for its pages: it is worth nothing, says why, and its page gets another", async () => {
    const visitor = await newVisitor();
    const keyOfPage = async () =>
      (await read<{ key: string }>(visitor.post("/app/session-key"))).key;
    const key = await keyOfPage();
    const event = revoke({ key, reason: "in a gist" });
    expect(await outcomes(send(event))).toEqual([
      { type: "key.revoke", outcome: "revoked", key_id: "app" },
    ]);
    expect(await outcome(send(event))).toBe("unchanged");
    await evictDurableObject(env.ACCOUNT.getByName(visitor.id));
    const error = await errorOf(call("/v1/account", { key }));
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(error.message).toMatch(/revoked at 20\d\d-.*Z \(in a gist\)/);
    expect((await call("/v1/account", { key: await keyOfPage() })).status).toBe(200);
    const detail = { keyId: "app", reason: "in a gist", source: "webhook" };
    expect(await audit(visitor.id)).toContainEqual({ who: "webhook", what: "key.revoke", detail });
    expect(await directoryOf(env).keyNotices(visitor.id)).toMatchObject([
      { keyName: "App", keyStart: `ctn_${visitor.id}_`, source: "webhook", why: "in a gist" },
    ]);
  });

  test("by its hash finds a key from before there was an index", async () => {
    const { id, key } = await newPerson();
    const directory = env.DIRECTORY.getByName("directory");
    await runInDurableObject(directory, (_, { storage }) => {
      storage.sql.exec("DELETE FROM key_hashes WHERE account_id = ?", id);
      storage.sql.exec("INSERT INTO accounts_to_index VALUES (?)", id);
    });
    expect(await outcome(send(revoke({ sha256: await sha256(key) })))).toBe("revoked");
    await runInDurableObject(directory, (_, { storage }) => {
      expect(storage.sql.exec("SELECT * FROM accounts_to_index").toArray()).toEqual([]);
    });
  });
});

describe("user.disable and user.enable", () => {
  test("shut a person out and let them in, by id or by address", async () => {
    const { id, key } = await newPerson();
    const { email } = await read<{ email: string }>(admin("GET", `/people/${id}`));
    expect(await outcome(send(disable({ user_id: id, reason: "left" })))).toBe("disabled");
    expect(await errorOf(call("/v1/account", { key }))).toMatchObject({ code: "account_disabled" });
    expect(await outcome(send(enable({ email: email.toUpperCase() })))).toBe("enabled");
    expect((await call("/v1/account", { key })).status).toBe(200);
    expect(await audit(id)).toContainEqual({
      ...{ who: "webhook", what: "person.change" },
      detail: { disabled: true, source: "webhook", reason: "left" },
    });
  });

  test("change nothing, and write no row, where it is so already", async () => {
    const { id } = await newPerson();
    expect(await outcome(send(enable({ user_id: id })))).toBe("unchanged");
    expect((await audit(id)).map(({ what }) => what)).not.toContain("person.change");
  });

  test("finish what broke off before its row was written", async () => {
    const { id } = await newPerson();
    await accountOf(env, id).change({ disabled: true });
    await directoryOf(env).changePerson(id, { disabled: true });
    expect(await outcome(send(disable({ user_id: id, reason: "left" })))).toBe("disabled");
    expect(await audit(id)).toContainEqual({
      ...{ who: "webhook", what: "person.change" },
      detail: { disabled: true, source: "webhook", reason: "left" },
    });
  });

  test("reach who is invited and has no Account yet", async () => {
    const id = newAccountId();
    const email = `${id}@example.org`;
    await directoryOf(env).addPerson({ id, email, role: "member" });
    expect(await outcome(send(disable({ user_id: id })))).toBe("disabled");
    expect((await accountOf(env, id).snapshot())?.profile.disabled).toBe(true);
  });

  test("of nobody are answered so", async () => {
    expect(await outcome(send(disable({ email: "nobody@example.org" })))).toBe("unknown");
  });
});

describe("several events of one body", () => {
  test("are all done, and each has its row in the answer", async () => {
    const [one, two] = [await newPerson(), await newPerson()];
    const answered = await outcomes(
      send([revoke({ key: one.key }), disable({ user_id: two.id }), { type: "session.ended" }]),
    );
    expect(answered).toEqual([
      { type: "key.revoke", outcome: "revoked", key_id: one.keyId },
      { type: "user.disable", outcome: "disabled", user_id: two.id },
      { type: "session.ended", outcome: "ignored" },
    ]);
  });

  test("are none of them done when one is wrong, and the answer names it", async () => {
    const { key } = await newPerson();
    const error = await errorOf(send([revoke({ key }), revoke({})]));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param: "1.data" });
    expect((await call("/v1/account", { key })).status).toBe(200);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "are ignored where they are called %s",
    async (type) => {
      expect(await outcomes(send({ type }))).toEqual([{ type, outcome: "ignored" }]);
    },
  );

  test.each([
    ["none", [], "body"],
    ["more than may be", Array.from({ length: 101 }, () => ({ type: "x" })), "body"],
    ["one that is no object", ["x"], "0"],
    ["one without a type", [{}], "0"],
    ["a key named twice", [revoke({ key: "a", key_id: "b" })], "0.data"],
    ["a hash that is none", [revoke({ sha256: "abc" })], "0.data.sha256"],
    ["a field that is none", [revoke({ key: "a", why: "x" })], "0.data"],
    ["an address that is none", [disable({ email: "nobody" })], "0.data.email"],
  ])("are refused when there are %s", async (_, events, param) => {
    const error = await errorOf(send(events));
    expect(error).toMatchObject({ status: 400, code: "invalid_request" });
    expect(error.param ?? "body").toBe(param);
  });
});

describe("a delivery that comes again", () => {
  test("is answered the same, signed anew or not, and does nothing twice", async () => {
    const { id, key } = await newPerson();
    const event = disable({ user_id: id });
    const first = await (await send(event, { id: `msg ${id}` })).text();
    await read(admin("PATCH", `/people/${id}`, { disabled: false }));
    const again = { id: `msg ${id}`, at: Date.now() + 1_000, secret: webhookSecrets[1] };
    expect(await (await send(event, again)).text()).toBe(first);
    expect((await call("/v1/account", { key })).status).toBe(200);
    expect((await audit(id)).filter(({ who }) => who === "webhook")).toHaveLength(1);
  });

  test("after one that broke off does the rest, and writes each row once", async () => {
    const { id, key, keyId } = await newPerson();
    const event = revoke({ key, reason: "in a gist" });
    await outcomes(send(event, { id: `broken ${id}` }));
    await runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) => {
      storage.sql.exec("DELETE FROM received_webhooks");
      storage.sql.exec("DELETE FROM audit WHERE whom = ? AND what = 'key.revoke'", id);
    });
    await outcomes(send(event, { id: `broken ${id}` }));
    await outcomes(send(event, { id: `another ${id}` }));
    const rows = (await audit(id)).filter(({ what }) => what === "key.revoke");
    expect(rows).toMatchObject([{ detail: { keyId, source: "webhook" } }]);
  });

  test("and asks for nothing is answered the same, and not kept", async () => {
    const id = `ignored ${crypto.randomUUID()}`;
    const answers = [
      await outcomes(send({ type: "x" }, { id })),
      await outcomes(send({ type: "x" }, { id })),
    ];
    expect(answers[0]).toEqual([{ type: "x", outcome: "ignored" }]);
    expect(answers[1]).toEqual(answers[0]);
    expect(await directoryOf(env).received(`keys ${id}`)).toBeNull();
  });

  test("with other content is refused, and does nothing", async () => {
    const [one, two] = [await newPerson(), await newPerson()];
    const id = `reused ${one.id}`;
    await outcomes(send(revoke({ key: one.key }), { id }));
    const error = await errorOf(send(revoke({ key: two.key }), { id }));
    expect(error).toMatchObject({ status: 409, code: "idempotency_conflict" });
    expect((await call("/v1/account", { key: two.key })).status).toBe(200);
  });
});

test("a person whom a webhook disabled is disabled for an Admin's eyes too", async () => {
  const person = await newPerson();
  await outcomes(send(disable({ user_id: person.id })));
  expect((await view(person)).disabled).toBe(true);
});

describe("who may send", () => {
  test.each([
    ["the secret of now", { secret: webhookSecrets[0] }],
    ["the secret from before", { secret: webhookSecrets[1] }],
    ["Svix's names of the headers", { family: "svix" as const }],
    ["a second signature, while they rotate", { alsoSigned: "v1,c29tZWJvZHkncyBvd24=" }],
    ["a signature of another version too", { alsoSigned: "v1a,c29tZWJvZHkncyBvd24=" }],
  ])("is whoever has %s", async (_, sending: Sending) => {
    expect((await send({ type: "x" }, sending)).status).toBe(200);
  });

  const stranger = "whsec_c3RyYW5nZXIncyBzZWNyZXQgb2YgMjQgYnl0ZXM=";
  test.each([
    ["a stranger's secret", { secret: stranger }],
    ["no signature", { headers: { "webhook-signature": "" } }],
    ["an empty signature", { headers: { "webhook-signature": "v1," } }],
    ["an empty id", { id: "" }],
    ["a time that is none", { headers: { "webhook-timestamp": "soon" } }],
    ["another's id", { headers: { "webhook-id": "msg_2" } }],
    ["another time", { headers: { "webhook-timestamp": "1800000000" } }],
    ["a time long ago", { at: Date.now() - WEBHOOK_TOLERANCE_MS - 60_000 }],
    ["a time to come", { at: Date.now() + WEBHOOK_TOLERANCE_MS + 60_000 }],
  ])("is nobody with %s", async (_, sending: Sending) => {
    const { key } = await newPerson();
    const error = await errorOf(send(revoke({ key }), sending));
    expect(error).toMatchObject({ status: 401, code: "invalid_signature" });
    expect((await call("/v1/account", { key })).status).toBe(200);
  });

  test("is nobody whose body was changed on the way, by a space", async () => {
    const { key } = await newPerson();
    const text = JSON.stringify(revoke({ key }));
    const signed = await import("standardwebhooks").then(({ Webhook }) =>
      new Webhook(webhookSecrets[0]).sign("msg", new Date(), text),
    );
    const headers = { "webhook-id": "msg", "webhook-signature": signed };
    const error = await errorOf(send(`${text} `, { id: "msg", headers }));
    expect(error).toMatchObject({ status: 401 });
  });

  test("with more than any body has is told so", async () => {
    const body = JSON.stringify({ type: "x", data: "x".repeat(KEY_EVENTS_MAX_BYTES) });
    expect(await errorOf(send(body))).toMatchObject({ status: 413, code: "request_too_large" });
  });

  test("is nobody where no secret is configured, as if there were no such route", async () => {
    vi.resetModules();
    const { app } = await import("../../src/worker/app.ts");
    const {
      WEBHOOK_SECRETS: _,
      WORKOS_WEBHOOK_SECRETS: __,
      ...without
    } = {
      ...(env as unknown as Record<string, unknown>),
    };
    const init = { method: "POST", body: "{}" };
    const error = await errorOf(app.request(KEYS_PATH, init, without, createExecutionContext()));
    expect(error).toMatchObject({ status: 404, code: "not_found" });
    expect(error.message).toContain("WEBHOOK_SECRETS is not configured");
  });
});
