// The pages of a person's webhooks, as forms and links use them.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { KEY_SHOWN_AGAIN_MS } from "../../../src/contract/limits.ts";
import { ENDPOINTS_MOST, eventTypes } from "../../../src/contract/outgoing-webhooks.ts";
import { accountOf, webhooksOf } from "../../../src/durable-objects/objects.ts";
import { Receiver, verified } from "../../durable-objects/webhooks-under-test.ts";
import { admin, audit, read } from "../calling.ts";
import { followed, newVisitor, type Visitor, words } from "./visitor.ts";

let member: Visitor;
let receiver: Receiver;

beforeEach(async () => {
  member = await newVisitor();
  receiver = new Receiver();
});

let forms = 0;
function newId(): string {
  forms += 1;
  return `webhookform${forms}`;
}

const all = Object.fromEntries(eventTypes.map((type) => [type, "on"]));

function form(fields: Record<string, string> = {}): Record<string, string> {
  return { id: newId(), url: receiver.url, ...all, ...fields };
}

function secretIn(html: string): string | undefined {
  return /whsec_[A-Za-z0-9+/]{43}=/.exec(html)?.[0];
}

/** One that was added by the page's own form. */
async function added(fields: Record<string, string> = {}): Promise<{ id: string; secret: string }> {
  const sent = form(fields);
  const html = await (await member.post("/webhooks/endpoints", sent)).text();
  const secret = secretIn(html);
  if (secret === undefined) throw new Error(`no endpoint was added: ${html}`);
  return { id: `endpoint_${sent.id}`, secret };
}

const endpoints = (of = member) => webhooksOf(env, of.id).endpoints();

async function firstDelivery(): Promise<string> {
  const { rows } = await webhooksOf(env, member.id).deliveries({ after: null, limit: 1 });
  return rows[0]?.id ?? "";
}

function delivered() {
  return expect.poll(async () => words(member.get("/webhooks")));
}

test("a person who is disabled is sent nothing of their account, until they are enabled", async () => {
  await added();
  const grant = () => admin("POST", `/people/${member.id}/grants`, { tokens: 5, note: "" });
  const states = async () => {
    const { rows } = await webhooksOf(env, member.id).deliveries({ after: null, limit: 9 });
    return rows.map(({ state }) => state);
  };
  await read(admin("PATCH", `/people/${member.id}`, { disabled: true }));
  await read(grant());
  await expect.poll(states).toEqual(["unsent"]);
  await read(admin("PATCH", `/people/${member.id}`, { disabled: false }));
  await read(grant());
  await expect.poll(states).toEqual(["delivered", "unsent"]);
  expect(await receiver.seen()).toHaveLength(1);
});

describe("the page of webhooks", () => {
  test("says to whoever has none what they are, and how to add one", async () => {
    const html = await (await member.get("/webhooks")).text();
    expect(html).toContain("You have no endpoint yet.");
    expect(html).toContain('href="/webhooks/endpoints/new"');
    expect(html).not.toContain("<h2>Deliveries</h2>");
  });

  test("shows each endpoint with its events, and what was sent to it", async () => {
    await added({ "job.paused": "" });
    const before = await words(member.get("/webhooks"));
    expect(before).toContain(receiver.url);
    expect(before).toContain("job.completed, job.failed, job.cancelled, key.revoked");
    expect(before).toContain("Nothing was sent yet.");
    const grant = { id: "grant", tokens: 100, note: "", expiresAt: null };
    await accountOf(env, member.id).grant(grant);
    await delivered().toContain("tokens.granted now 127.0.0.1");
    await receiver.reached(1);
    await delivered().toContain("delivered status 200");
  });

  test("has pages of deliveries, each with the way to the next", async () => {
    await added();
    const events = Array.from({ length: 51 }, (_, number) => {
      return { id: `evt_${number}`, type: "job.completed" as const, at: number, data: {} };
    });
    await webhooksOf(env, member.id).emit(events);
    const first = await (await member.get("/webhooks")).text();
    const next = /href="(\/webhooks\?after=\d+)"/.exec(first)?.[1];
    expect(first.match(/\/replay"/g)).toHaveLength(50);
    const second = await (await member.get(next ?? "")).text();
    expect(second.match(/\/replay"/g)).toHaveLength(1);
    expect(second).toContain("First page");
  });

  test("asks nobody to sign in again for what another person has", async () => {
    const { id } = await added();
    const stranger = await newVisitor();
    expect(await words(stranger.get("/webhooks"))).not.toContain(receiver.url);
    for (const path of [`endpoints/${id}/rotate`, `endpoints/${id}/remove`]) {
      expect((await stranger.get(`/webhooks/${path}`)).status, path).toBe(404);
    }
    const fields = { id: newId() };
    for (const verb of ["rotate", "test", "on", "remove"]) {
      await stranger.post(`/webhooks/endpoints/${id}/${verb}`, fields);
    }
    expect(await endpoints()).toMatchObject([{ id, oldSecretUntil: null }]);
    expect(await receiver.seen()).toEqual([]);
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    const delivery = await firstDelivery();
    expect((await stranger.get(`/webhooks/deliveries/${delivery}`)).status).toBe(404);
    expect((await stranger.post(`/webhooks/deliveries/${delivery}/replay`)).status).toBe(404);
  });
});

describe("adding an endpoint", () => {
  test("shows the secret this once, which signs what is sent, and says so in the audit log", async () => {
    const { id, secret } = await added({ url: `${receiver.url}/hook?token=private` });
    expect(await (await member.get("/webhooks")).text()).not.toContain(secret);
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    const [request] = await receiver.reached(1);
    if (request === undefined) throw new Error("nothing has come");
    expect(verified(secret, request)).toMatchObject({ type: "webhook.test" });
    const rows = await audit(member.id);
    expect(rows.at(-1)).toMatchObject({
      ...{ who: member.id, what: "webhook.add" },
      detail: { endpointId: id, host: new URL(receiver.url).host },
    });
    expect(JSON.stringify(rows)).not.toMatch(/whsec_|private/);
  });

  test("twice with one form is one endpoint, whose secret both answers show, and no later one", async () => {
    const sent = form();
    const answers = [1, 2].map(() => member.post("/webhooks/endpoints", sent));
    const shown = await Promise.all(
      answers.map(async (answer) => secretIn(await (await answer).text())),
    );
    expect(shown[0]).toBeDefined();
    expect(shown[0]).toBe(shown[1]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + KEY_SHOWN_AGAIN_MS });
    const late = await followed(member, await member.post("/webhooks/endpoints", sent));
    vi.useRealTimers();
    expect(late).toContain("It can't be shown again");
    expect(await endpoints()).toHaveLength(1);
    const other = await member.post("/webhooks/endpoints", { ...sent, "job.paused": "" });
    expect(other.status).toBe(409);
    expect(await words(other)).toContain("Send it once more");
  });

  test.each([
    [{ url: " " }, "Write an address."],
    [{ url: "example.com/hooks" }, "This is no address."],
    [{ url: "http://example.com/" }, "begins with https://"],
    [{ url: "https://10.0.0.1/" }, "not on the public internet"],
    [{ url: "https://0xc0.168.1/" }, "not on the public internet"],
    [{ url: "https://me:secret@example.com/" }, "Leave name and password out"],
    [{ url: "https://db.internal/" }, "known only inside a network"],
    [Object.fromEntries(eventTypes.map((type) => [type, ""])), "Choose at least one event."],
  ])("with %j says what to write and keeps the rest", async (fields, why) => {
    const typed = fields as Record<string, string>;
    const answer = await member.post("/webhooks/endpoints", form({ "tokens.low": "", ...typed }));
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain(why);
    if ("url" in typed) {
      expect(html).toMatch(/name="job.paused" checked/);
      expect(html).not.toMatch(/name="tokens.low" checked/);
    } else {
      expect(html).toContain(`value="${receiver.url}"`);
    }
    expect(await endpoints()).toEqual([]);
  });

  test("ends where there are as many as there can be", async () => {
    for (let number = 0; number < ENDPOINTS_MOST; number += 1) await added();
    const html = await (await member.get("/webhooks")).text();
    expect(html).not.toContain("Add an endpoint");
    const answer = await member.post("/webhooks/endpoints", form());
    expect(answer.status).toBe(409);
    expect(await words(answer)).toContain("Remove one first.");
  });
});

describe("an endpoint", () => {
  test("gets a new secret, shown this once, beside which the old one signs for a day", async () => {
    const { id, secret } = await added();
    expect(await words(member.get(`/webhooks/endpoints/${id}/rotate`))).toContain("24 hours");
    const sent = { id: newId() };
    const rotated = await member.post(`/webhooks/endpoints/${id}/rotate`, sent);
    const fresh = secretIn(await rotated.text());
    if (fresh === undefined) throw new Error("there is no new secret");
    expect(fresh).not.toBe(secret);
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    const [request] = await receiver.reached(1);
    if (request === undefined) throw new Error("nothing has come");
    expect(verified(fresh, request)).toEqual(verified(secret, request));
    expect(await words(member.get("/webhooks"))).toContain("The secret before signs until");
    expect((await audit(member.id)).at(-1)).toMatchObject({ what: "webhook.rotate" });
  });

  test("is removed with its deliveries, and pressing twice is no error", async () => {
    const { id } = await added();
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    await receiver.reached(1);
    const path = `/webhooks/endpoints/${id}/remove`;
    expect(await words(member.get(path))).toContain(receiver.url);
    expect(await followed(member, await member.post(path))).toContain("are removed");
    expect(await followed(member, await member.post(path))).toContain("You have no endpoint yet.");
    expect((await audit(member.id)).filter(({ what }) => what === "webhook.remove")).toHaveLength(
      1,
    );
  });

  test("that is gone says why nothing is sent, and can be switched on again", async () => {
    const { id } = await added();
    await receiver.answers(410);
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    await delivered().toContain("Switched off");
    const html = await (await member.get("/webhooks")).text();
    expect(html).toContain("it answered 410");
    expect(html).not.toContain("Send a test event");
    const delivery = await firstDelivery();
    const refused = await member.post(`/webhooks/deliveries/${delivery}/replay`);
    expect(refused.status).toBe(409);
    expect(await words(refused)).toContain("Switch it on first");
    await receiver.answers(204);
    const on = await member.post(`/webhooks/endpoints/${id}/on`);
    expect(await followed(member, on)).toContain("The endpoint is switched on");
    await followed(member, await member.post(`/webhooks/deliveries/${delivery}/replay`));
    await delivered().toContain("delivered status 204 , 2 attempts");
  });

  test("that fails says since when, and when the next attempt is", async () => {
    const { id } = await added();
    await receiver.answers(503);
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    await delivered().toMatch(/failing since .* next try .* status 503/);
  });
});

describe("a delivery's page", () => {
  test("has each attempt and the body as it is sent, and sends it again", async () => {
    const { id, secret } = await added();
    await member.post(`/webhooks/endpoints/${id}/test`, { id: newId() });
    await delivered().toContain("delivered");
    const path = `/webhooks/deliveries/${await firstDelivery()}`;
    const html = await (await member.get(path)).text();
    expect(html).toContain("status 200");
    const [request] = await receiver.seen();
    const body = html.replaceAll("&quot;", '"');
    expect(body).toContain(`<pre id="body">${request?.body}</pre>`);
    expect(html).not.toContain(secret);
    const again = await member.post(`${path}/replay`);
    expect(await followed(member, again)).toContain("on its way again");
    const [first, second] = await receiver.reached(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  });

  test.each(["/webhooks/deliveries/0", "/webhooks/deliveries/x", "/webhooks/endpoints/x/remove"])(
    "at %s, where nothing is, says so",
    async (path) => expect((await member.get(path)).status).toBe(404),
  );
});

test("what other services post to keeps its place beside these pages", async () => {
  const answer = await member.get("/webhooks/keys");
  expect(answer.status).toBe(405);
  expect(answer.headers.get("content-type")).toBe("application/json");
});
