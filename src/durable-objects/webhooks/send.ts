// One attempt to deliver an event: signed as Standard Webhooks say, and judged by the status alone.
import { Webhook } from "standardwebhooks";
import { DELIVERY_TIMEOUT_MS, type DeliveryAttempt } from "../../contract/outgoing-webhooks.ts";

interface Message {
  /** The same at each attempt, so that a receiver knows what it has had. */
  id: string;
  body: string;
}

/** Never rejects. */
export async function send(
  url: string,
  secrets: readonly string[],
  message: Message,
): Promise<DeliveryAttempt> {
  const at = Date.now();
  const answered = await post(url, signedHeaders(secrets, message, at), message.body);
  return { at, durationMs: Date.now() - at, ...answered };
}

/** An attempt at an address that nothing may be sent to. */
export function notReached(at: number): DeliveryAttempt {
  return { at, durationMs: 0, status: null, problem: "unreachable" };
}

/** Signed anew at each attempt, since a receiver refuses a time that is too far off. */
function signedHeaders(
  secrets: readonly string[],
  { id, body }: Message,
  at: number,
): Record<string, string> {
  const time = new Date(at);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, time, body));
  return {
    "content-type": "application/json",
    "user-agent": "continuo-webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": signatures.join(" "),
  };
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Pick<DeliveryAttempt, "status" | "problem">> {
  const abort = new AbortController();
  // Not AbortSignal.timeout, whose timer goes on after the answer and keeps the object from its rest.
  const timer = setTimeout(() => abort.abort(), DELIVERY_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      ...{ method: "POST", headers, body },
      // Another address has not been judged.
      redirect: "manual",
      signal: abort.signal,
    });
    // Not waited for: a body may have no end.
    void response.body?.cancel().catch(() => undefined);
    return { status: response.status, problem: null };
  } catch {
    return { status: null, problem: abort.signal.aborted ? "timeout" : "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}
