// `POST /webhooks/keys`: a key leaked or a person left, says who holds one of the webhooks' secrets.
// All events of a body are judged before any of them acts; the answer has one row for each.
import type { Context } from "hono";
import { KEY_EVENTS_MAX_BYTES, type KeyEvent, KeyEvents } from "../../contract/key-events.ts";
import { eventName, wishOf } from "../../core/key-events.ts";
import { directoryOf } from "../../durable-objects/objects.ts";
import { parseInput } from "../api/parse-input.ts";
import { sha256 } from "../auth/api-key.ts";
import type { AppEnv } from "../environment.ts";
import { parseJson, readText } from "../read-body.ts";
import { Refused } from "../refuse.ts";
import { carryOut } from "./carry-out.ts";
import { standardSigned, workosSigned, wrongSignature } from "./signatures.ts";

/** Throws `Refused`: 401, 404, 413, and 400 or 409, in which case nothing was done. */
export function receiveKeyEvents(c: Context<AppEnv>): Promise<Response> {
  const answer = receive(c);
  // A sender that hangs up early has said what is to be done all the same.
  c.executionCtx.waitUntil(answer.catch(() => undefined));
  return answer;
}

async function receive(c: Context<AppEnv>): Promise<Response> {
  const { WEBHOOK_SECRETS, WORKOS_WEBHOOK_SECRETS } = c.get("services").configuration;
  if (WEBHOOK_SECRETS.length + WORKOS_WEBHOOK_SECRETS.length === 0) {
    const message = "This deployment takes no events of keys: WEBHOOK_SECRETS is not configured.";
    throw new Refused({ code: "not_found", message });
  }
  const text = await readText(c.req.raw, KEY_EVENTS_MAX_BYTES);
  const signed = await readId(c, text);
  const events = parseInput(KeyEvents, signed.body);
  // A provider may send all that happens there: what asks for nothing is answered the same each time
  // without being kept.
  if (events.every((event) => wishOf(event).wish === "nothing")) return answerIgnored(events);
  const id = `keys ${signed.id}`;
  const bodyHash = await sha256(text);
  const directory = directoryOf(c.env);
  const before = await directory.received(id);
  if (before !== null) return answerAgain(before, bodyHash);
  const data = [];
  for (const [index, event] of events.entries()) {
    const outcome = await carryOut(c, wishOf(event), `${id} ${index}`);
    data.push({ type: eventName(event), ...outcome });
  }
  const answer = JSON.stringify({ object: "list", data });
  return answerAgain(await directory.keepReceived({ id, bodyHash, answer }), bodyHash);
}

function answerIgnored(events: readonly KeyEvent[]): Response {
  const data = events.map((event) => ({ type: eventName(event), outcome: "ignored" }));
  return Response.json({ object: "list", data });
}

/** The same webhook is answered the same, however often it comes. */
function answerAgain(kept: { bodyHash: string; answer: string }, bodyHash: string): Response {
  if (kept.bodyHash === bodyHash) {
    return new Response(kept.answer, { headers: { "content-type": "application/json" } });
  }
  const message =
    "A webhook with this id came before with other content. Give each one its own id.";
  throw new Refused({ code: "idempotency_conflict", message });
}

/** What makes a delivery known when it comes again; WorkOS has it in the body. */
async function readId(c: Context<AppEnv>, text: string): Promise<{ id: string; body: unknown }> {
  const { WEBHOOK_SECRETS, WORKOS_WEBHOOK_SECRETS } = c.get("services").configuration;
  const { headers } = c.req.raw;
  const id = standardSigned(text, headers, WEBHOOK_SECRETS);
  if (id !== null) return { id, body: parseJson(text) };
  const { startedAt } = c.get("frame");
  if (!(await workosSigned(text, headers, WORKOS_WEBHOOK_SECRETS, startedAt)))
    throw wrongSignature();
  const body = parseJson(text);
  const event = (body as { id?: unknown } | null)?.id;
  if (typeof event === "string") return { id: `workos ${event}`, body };
  const message = "id: is missing; WorkOS gives each event one.";
  throw new Refused({ code: "invalid_request", message, param: "id" });
}
