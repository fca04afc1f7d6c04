// What an Admin changes on the Spend page.
import type { Context } from "hono";
import { z } from "zod";
import { SPEND_LIMIT_MAX_USD } from "../../../contract/limits.ts";
import { changeSpend } from "../../deeds/spend.ts";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Confirm } from "../layout/parts.tsx";
import { checkForm, readForm } from "../read-form.ts";
import { RepeatId, readRepeatId, sentBefore } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { SPEND_PATH, spendPage } from "./spend-page.tsx";

const LimitForm = z.object({
  limit: z
    .string()
    .transform((text) => text.replaceAll(/[$,\s]/g, ""))
    .pipe(z.string().regex(/^\d{1,12}(\.\d{1,2})?$/, "Write an amount in US dollars, such as 500."))
    .transform(Number)
    .pipe(z.number().max(SPEND_LIMIT_MAX_USD, "This is more than a Spend limit may be.")),
});

/** `POST /admin/spend/limit`. */
export async function setLimit(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const id = readRepeatId(values);
  const checked = checkForm(LimitForm, values);
  if (!checked.ok) return spendPage(c, checked.form, 400);
  try {
    await changeSpend(c, signedIn(c).person.id, { id, limitUsd: checked.value.limit });
  } catch (failure) {
    return spendPage(c, sentBefore(failure, values, "limit"), 409);
  }
  return c.redirect(`${SPEND_PATH}?notice=limit`, 303);
}

/** `GET /admin/spend/pause`: asks once, and says what it means. */
export function askToPause(c: Context<AppEnv>): Response | Promise<Response> {
  return page(
    c,
    { title: "Pause new GPU work", current: "spend" },
    <Confirm
      title="Pause new GPU work?"
      action={`${SPEND_PATH}/pause`}
      verb="Pause"
      danger
      back={SPEND_PATH}
    >
      <RepeatId />
      <p>
        Every new Completion is refused with <code>spend_cap</code>, within five seconds everywhere.
        What runs goes on to its end, and containers stop when they have been idle long enough. It
        lasts until an Admin resumes it.
      </p>
    </Confirm>,
  );
}

/** `POST /admin/spend/pause`. */
export function pause(c: Context<AppEnv>): Promise<Response> {
  return setPaused(c, true);
}

/** `POST /admin/spend/resume`. */
export function resume(c: Context<AppEnv>): Promise<Response> {
  return setPaused(c, false);
}

async function setPaused(c: Context<AppEnv>, pausedByHand: boolean): Promise<Response> {
  const id = readRepeatId(await readForm(c));
  await changeSpend(c, signedIn(c).person.id, { id, pausedByHand });
  return c.redirect(`${SPEND_PATH}?notice=${pausedByHand ? "paused" : "resumed"}`, 303);
}
