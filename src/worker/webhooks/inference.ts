import type { Context } from "hono";
import { ContainerReport, REPORT_MAX_BYTES } from "../../contract/container-report.ts";
import { inferenceOf } from "../../durable-objects/objects.ts";
import { servedModel } from "../api/models.ts";
import { parseInput } from "../api/parse-input.ts";
import type { AppEnv } from "../environment.ts";
import { parseJson, readText } from "../read-body.ts";
import { Refused } from "../refuse.ts";
import { standardSigned, wrongSignature } from "./signatures.ts";

/**
 * `POST /webhooks/inference`: a container says that it starts, is ready, runs or stops, signed as
 * Standard Webhooks say. A replay is harmless: the signature's own time refuses it after
 * WEBHOOK_TOLERANCE_MS, and before that the meter knows the container's sequence and changes nothing.
 */
export async function receiveReport(c: Context<AppEnv>): Promise<Response> {
  const { configuration } = c.get("services");
  if (configuration.REPORT_SECRETS.length === 0) {
    const message = "This deployment takes no reports: REPORT_SECRETS is not configured.";
    throw new Refused({ code: "not_found", message });
  }
  const text = await readText(c.req.raw, REPORT_MAX_BYTES);
  const id = standardSigned(text, c.req.raw.headers, configuration.REPORT_SECRETS);
  if (id === null) throw wrongSignature();
  const report = parseInput(ContainerReport, parseJson(text));
  const { model } = servedModel(c.get("services"), report.data.model);
  await inferenceOf(c.env, model.id).report(report);
  return c.body(null, 204);
}
