// Containers' reports: who may send them, and that what is wrong or repeated changes nothing.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { REPORT_MAX_BYTES } from "../../src/contract/container-report.ts";
import { WEBHOOK_TOLERANCE_MS } from "../../src/contract/key-events.ts";
import { inferenceOf } from "../../src/durable-objects/objects.ts";
import { reportSecrets } from "./bindings.ts";
import { call, errorOf } from "./calling.ts";

const path = "/webhooks/inference";
const refused = { status: 401, code: "invalid_signature" };

interface Sending {
  secret?: string;
  body?: string;
  at?: number;
  headers?: Record<string, string>;
}

function reportText(data: object = {}, rest: object = {}): string {
  return JSON.stringify({
    ...{ type: "container.beat", timestamp: "2026-11-29T12:00:00.000Z" },
    data: {
      ...{ model: "local", container: crypto.randomUUID(), sequence: 1, uptime_ms: 30_000 },
      ...{ gpu: "none", gpu_count: 0, started_at: "2026-11-29T11:59:30.000Z", metrics: null },
      ...data,
    },
    ...rest,
  });
}

function send({ secret = reportSecrets[0], body = reportText(), at, headers }: Sending = {}) {
  const time = new Date(at ?? Date.now());
  const signed = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", time, body),
  };
  return call(path, { method: "POST", body, headers: { ...signed, ...headers } });
}

async function containers(): Promise<string[]> {
  const snapshot = await inferenceOf(env, "local").snapshot();
  return snapshot.containers.map(({ container }) => container);
}

describe("a container's report", () => {
  test("reaches its Model's Inference object, whichever secret of the two signed it", async () => {
    for (const secret of reportSecrets) {
      const container = crypto.randomUUID();
      const response = await send({ secret, body: reportText({ container }) });
      expect([response.status, await response.text()]).toEqual([204, ""]);
      expect(await containers()).toContain(container);
    }
  });

  test("that is sent again is taken and changes nothing", async () => {
    const container = crypto.randomUUID();
    const goodbye = reportText({ container, sequence: 2 }, { type: "container.stopping" });
    const beat = reportText({ container });
    for (const body of [beat, goodbye, beat, goodbye])
      expect((await send({ body })).status).toBe(204);
    expect(await containers()).not.toContain(container);
  });

  test("may say more than this Worker knows", async () => {
    const container = crypto.randomUUID();
    const body = reportText({ container, temperature: 70 }, { version: 2 });
    expect((await send({ body })).status).toBe(204);
    expect(await containers()).toContain(container);
  });
});

describe("a report is refused", () => {
  const unsigned = { "webhook-signature": "" };
  const stranger = `whsec_${"c3RyYW5nZXIncyBzZWNyZXQsIG5vdCBvdXJz"}`;
  const longAgo = Date.now() - WEBHOOK_TOLERANCE_MS - 60_000;
  const ahead = Date.now() + WEBHOOK_TOLERANCE_MS + 60_000;

  test.each([
    ["without a signature", { headers: unsigned }],
    ["with a signature that is none", { headers: { "webhook-signature": "v1" } }],
    ["with another's secret", { secret: stranger }],
    ["with the signature of another id", { headers: { "webhook-id": "msg_2" } }],
    ["with a time that is none", { headers: { "webhook-timestamp": "now" } }],
    ["of long ago", { at: longAgo }],
    ["ahead of its time", { at: ahead }],
  ])("%s", async (_, sending: Sending) => {
    const container = crypto.randomUUID();
    const error = await errorOf(send({ ...sending, body: reportText({ container }) }));
    expect(error).toMatchObject(refused);
    expect(error.message).toContain("Compare the secret and the clock");
    expect(await containers()).not.toContain(container);
  });

  test("with a body other than the signed one", async () => {
    const signature = new Webhook(reportSecrets[0]).sign("msg_1", new Date(), reportText());
    expect(await errorOf(send({ headers: { "webhook-signature": signature } }))).toMatchObject(
      refused,
    );
  });

  test("without a secret or a part of one in the message", async () => {
    const { message } = await errorOf(send({ secret: stranger }));
    for (const secret of [stranger, ...reportSecrets]) {
      expect(message).not.toContain(secret.slice("whsec_".length));
    }
  });

  test("of a Model that is not served, with the ids of those that are", async () => {
    const error = await errorOf(send({ body: reportText({ model: "nonsense" }) }));
    expect(error).toMatchObject({ status: 404, code: "model_not_found" });
    expect(error.message).toContain("local");
  });

  test.each([
    ["no JSON", "{", null],
    ["another type", reportText({}, { type: "container.exploded" }), "type"],
    ["no count", reportText({ sequence: -1 }), "data.sequence"],
    ["an id that is none", reportText({ container: "../x" }), "data.container"],
    ["an uptime as text", reportText({ uptime_ms: "5" }), "data.uptime_ms"],
  ])("signed, but with %s in it", async (_, body, param) => {
    expect(await errorOf(send({ body }))).toMatchObject({
      ...{ status: 400, code: "invalid_request", param },
    });
  });

  test("that is larger than any report", async () => {
    const body = reportText({ padding: "x".repeat(REPORT_MAX_BYTES) });
    expect(await errorOf(send({ body }))).toMatchObject({ status: 413, code: "request_too_large" });
    const chunked = new Response(body).body ?? "";
    const error = await errorOf(call(path, { method: "POST", body: chunked }));
    expect(error).toMatchObject({ status: 413 });
  });

  test("where no secret is configured, as if there were no such route", async () => {
    vi.resetModules();
    const { app } = await import("../../src/worker/app.ts");
    const { REPORT_SECRETS: _, ...without } = env as unknown as Record<string, unknown>;
    const init = { method: "POST", body: reportText() };
    const error = await errorOf(app.request(path, init, without, createExecutionContext()));
    expect(error).toMatchObject({ status: 404, code: "not_found" });
    expect(error.message).toContain("REPORT_SECRETS is not configured");
  });
});
