// What the two buttons of the inbox do. However often they are pressed and by how many, one decision
// counts: the page that follows reads what it was and whose.
import type { Context } from "hono";
import { z } from "zod";
import { NOTE_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { approveRequest, rejectRequest } from "../../deeds/token-requests.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { checkForm, type FormValues, readForm, tokenAmount } from "../read-form.ts";
import { signedIn } from "../session.ts";
import { REQUESTS_PATH } from "./inbox.tsx";
import { withQuery } from "./query.ts";
import { requestsPage } from "./requests-page.tsx";

const note = z
  .string()
  .trim()
  .max(NOTE_MAX_CHARACTERS, `Write at most ${NOTE_MAX_CHARACTERS} characters.`);

const ApproveForm = z.object({ tokens: tokenAmount, note: note.default("") });
const RejectForm = z.object({
  note: note.min(1, "Write why: the person reads it."),
});

/** `POST /admin/requests/:id/approve`. */
export async function approve(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  return decide(c, values, ApproveForm, async (id, form) => {
    await approveRequest(c, signedIn(c).person.id, id, form);
  });
}

/** `POST /admin/requests/:id/reject`. */
export async function reject(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  return decide(c, values, RejectForm, async (id, form) => {
    await rejectRequest(c, signedIn(c).person.id, id, form);
  });
}

async function decide<T>(
  c: Context<AppEnv>,
  values: FormValues,
  schema: z.ZodType<T>,
  deed: (id: string, form: T) => Promise<void>,
): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const checked = checkForm(schema, values);
  if (!checked.ok) return requestsPage(c, { requestId: id, form: checked.form }, 400);
  try {
    await deed(id, checked.value);
  } catch (failure) {
    // Decided or withdrawn before: the page that follows says by whom.
    if (!(failure instanceof Refused && failure.error.code === "conflict")) throw failure;
  }
  return c.redirect(withQuery(REQUESTS_PATH, { decided: id }), 303);
}
