// What a person does to endpoints of their own, with its row in the audit log. Of an address the row has
// the host alone: what stands behind it may be a secret of the receiver's.
import type { Context } from "hono";
import type { EndpointAnswer, EventType } from "../../contract/outgoing-webhooks.ts";
import { webhooksOf } from "../../durable-objects/objects.ts";
import type { AppEnv } from "../environment.ts";
import { record } from "./audit-row.ts";

type Did = Extract<EndpointAnswer, { ok: true }>;

/** `id` makes it repeatable. */
export async function addEndpoint(
  c: Context<AppEnv>,
  who: string,
  { id, ...content }: { id: string; url: string; events: readonly EventType[] },
): Promise<EndpointAnswer> {
  const answer = await webhooksOf(c.env, who).add({ id: `endpoint_${id}`, ...content });
  if (answer.ok) await recordOf(c, who, "webhook.add", answer, id);
  return answer;
}

/** `rotationId` makes it one new secret. */
export async function rotateSecret(
  c: Context<AppEnv>,
  who: string,
  endpointId: string,
  rotationId: string,
): Promise<EndpointAnswer> {
  const answer = await webhooksOf(c.env, who).rotate(endpointId, rotationId);
  if (answer.ok) await recordOf(c, who, "webhook.rotate", answer, rotationId);
  return answer;
}

/** One that is gone already stays so. */
export async function removeEndpoint(
  c: Context<AppEnv>,
  who: string,
  endpointId: string,
): Promise<void> {
  await webhooksOf(c.env, who).remove(endpointId);
  const detail = { endpointId };
  await record(c, { who, what: "webhook.remove", whom: who, detail, repeatId: endpointId });
}

async function recordOf(
  c: Context<AppEnv>,
  who: string,
  what: string,
  { endpoint: { id: endpointId, url } }: Did,
  repeatId: string,
): Promise<void> {
  const detail = { endpointId, host: new URL(url).host };
  await record(c, { who, what, whom: who, detail, repeatId });
}
