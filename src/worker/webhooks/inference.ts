import type { Context } from "hono";
import { Webhook } from "standardwebhooks";
import {
  ContainerReport,
  REPORT_MAX_BYTES,
  REPORT_TOLERANCE_MS,
} from "../../contract/container-report.ts";
import { inferenceOf } from "../../durable-objects/objects.ts";
import { servedModel } from "../api/models.ts";
import { parseInput } from "../api/parse-input.ts";
import type { AppEnv } from "../environment.ts";
import { parseJson, readText } from "../read-body.ts";
import { Refused } from "../refuse.ts";

/**
 * `POST /webhooks/inference`: a container says that it starts, is ready, runs or stops, signed as
 * Standard Webhooks say. A replay is harmless: the signature's own time refuses it after
 * REPORT_TOLERANCE_MS, and before that the meter knows the container's sequence and changes nothing.
 */
export async function receiveReport(c: Context<AppEnv>): Promise<Response> {
  const { configuration } = c.get("services");
  if (configuration.REPORT_SECRETS.length === 0) {
    const message = "This deployment takes no reports: REPORT_SECRETS is not configured.";
    throw new Refused({ code: "not_found", message });
  }
  const text = await readText(c.req.raw, REPORT_MAX_BYTES);
  if (!isSigned(text, c.req.raw.headers, configuration.REPORT_SECRETS)) throw wrongSignature();
  const report = parseInput(ContainerReport, parseJson(text));
  const { model } = servedModel(c.get("services"), report.data.model);
  await inferenceOf(c.env, model.id).report(report);
  return c.body(null, 204);
}

/** By any of the secrets, so that they can be rotated while containers run. */
function isSigned(text: string, headers: Headers, secrets: readonly string[]): boolean {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const signature = Object.fromEntries(names.map((name) => [name, headers.get(name) ?? ""]));
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(text, signature, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });
}

function wrongSignature(): Refused {
  const message =
    "The webhook's signature is missing or wrong, or its time is more than " +
    `${REPORT_TOLERANCE_MS / 1_000} s off. Compare the secret and the clock with this service's.`;
  return new Refused({ code: "invalid_signature", message });
}
