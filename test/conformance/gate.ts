// Tells a deployment that its Model's revision has passed, so that it may be Warm there.
import { OptionProblem } from "./options.ts";

export interface Gate {
  /** The deployment, with `/v1`. */
  url: string;
  adminKey: string;
  model: string;
}

/** Says what was told. The revision is the deployment's own, from its catalogue. */
export async function openGate({ url, adminKey, model }: Gate, cases: number): Promise<string> {
  const base = url.replace(/\/+$/, "");
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
  const shown = await fetch(`${base}/models/${model}`, { headers });
  if (!shown.ok) throw new OptionProblem(`${base}/models/${model} answers ${shown.status}.`);
  const { revision } = (await shown.json()) as { revision: string };
  const told = await fetch(`${base}/admin/models/${model}/conformance`, {
    method: "POST",
    headers,
    body: JSON.stringify({ revision, cases }),
  });
  if (!told.ok) throw new OptionProblem(`The gate was not opened: ${await told.text()}`);
  return `${model} at ${revision} has passed and may be Warm at ${base}`;
}
