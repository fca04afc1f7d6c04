import type { Child } from "hono/jsx";
import { Refused } from "../refuse.ts";
import type { FormState } from "./layout/fields.tsx";
import type { FormValues } from "./read-form.ts";

/** Drawn when the form is shown: sending it twice, however that comes, is one change. */
export function RepeatId(): Child {
  return <input type="hidden" name="id" value={crypto.randomUUID().replaceAll("-", "")} />;
}

/** Throws `Refused` 400: every form has one, so this was none of ours. */
export function readRepeatId(values: FormValues): string {
  const { id = "" } = values;
  if (/^[0-9a-z]{1,64}$/.test(id)) return id;
  const message = "This form is incomplete. Open the page and send it from there.";
  throw new Refused({ code: "invalid_request", message, param: "id" });
}

/**
 * Somebody went back to a form that had been obeyed, and sent it with other content: the form again,
 * with an id of its own. Other failures are thrown on.
 */
export function sentBefore(failure: unknown, values: FormValues, field: string): FormState {
  if (!(failure instanceof Refused) || failure.error.code !== "idempotency_conflict") throw failure;
  const sentence =
    "You sent this form before with other content, and that counted. Send it once more to add this.";
  return { values, errors: { [field]: sentence } };
}
