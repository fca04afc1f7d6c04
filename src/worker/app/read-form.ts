// What a form sent, and what is wrong with it, field by field.
import type { Context } from "hono";
import { z } from "zod";
import { ADMIN_BODY_MAX_BYTES, GRANT_MAX_TOKENS } from "../../contract/limits.ts";
import type { AppEnv } from "../environment.ts";
import { readText } from "../read-body.ts";
import { Refused } from "../refuse.ts";
import type { FormState } from "./layout/fields.tsx";

export type FormValues = Readonly<Record<string, string>>;

/** The fields of the form in the body; the last one of a name. Throws `Refused`: 415, 413 or 400. */
export async function readForm(
  c: Context<AppEnv>,
  maxBytes = ADMIN_BODY_MAX_BYTES,
): Promise<FormValues> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    const message = "This address takes a form. Open the page and send it from there.";
    throw new Refused({ code: "unsupported_media_type", message });
  }
  const text = await readText(c.req.raw, maxBytes);
  return Object.fromEntries(new URLSearchParams(text));
}

export type CheckedForm<T> = { ok: true; value: T } | { ok: false; form: FormState };

/** Of each field the first problem is told. Fields that the schema does not name are passed over. */
export function checkForm<T>(schema: z.ZodType<T>, values: FormValues): CheckedForm<T> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return { ok: true, value: parsed.data };
  const errors: Record<string, string> = {};
  for (const issue of parsed.error.issues) errors[issue.path.join(".")] ??= issue.message;
  return { ok: false, form: { values, errors } };
}

/** As people write numbers: `1,000,000`, `1_000_000`, `1 000 000`. */
export const wholeNumber = z
  .string()
  .transform((text) => text.replaceAll(/[\s,_]/g, ""))
  .pipe(z.string().regex(/^\d{1,16}$/, "Write a whole number, such as 1,000,000."))
  .transform(Number);

export const tokenAmount = wholeNumber.pipe(
  z
    .number()
    .min(1, "Write at least 1 token.")
    .max(GRANT_MAX_TOKENS, `Write at most ${GRANT_MAX_TOKENS.toLocaleString("en-US")} tokens.`),
);
