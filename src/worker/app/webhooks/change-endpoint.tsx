// What can be done to an endpoint: each a form that does, and where something is lost a page that asks.
import type { Context } from "hono";
import { OLD_SECRET_SIGNS_HOURS } from "../../../contract/outgoing-webhooks.ts";
import { webhooksOf } from "../../../durable-objects/objects.ts";
import { removeEndpoint, rotateSecret } from "../../deeds/webhooks.ts";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Confirm } from "../layout/parts.tsx";
import { readForm } from "../read-form.ts";
import { RepeatId, readRepeatId } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { noticeUrl, ownEndpoint } from "./own-endpoint.ts";
import { secretPage } from "./secret-page.tsx";

export async function showRotate(c: Context<AppEnv>): Promise<Response> {
  const { id, url, oldSecretUntil } = await ownEndpoint(c);
  const title = "Replace the secret?";
  return page(
    c,
    { title, current: "webhooks" },
    <Confirm
      title={title}
      action={`/webhooks/endpoints/${id}/rotate`}
      verb="Replace it"
      back="/webhooks"
    >
      <RepeatId />
      <p class="address">{url}</p>
      <p class="text">
        The new secret is shown once. For {OLD_SECRET_SIGNS_HOURS} hours both sign what is sent, so
        that you can change your receiver without a gap; then the old one ends.
        {oldSecretUntil === null
          ? null
          : " The one before it, which still signs from the last time, ends at once."}
      </p>
    </Confirm>,
  );
}

export async function rotate(c: Context<AppEnv>): Promise<Response> {
  const { id } = await ownEndpoint(c);
  const rotationId = readRepeatId(await readForm(c));
  const answer = await rotateSecret(c, signedIn(c).person.id, id, rotationId);
  if (!answer.ok || answer.secret === null) return c.redirect(noticeUrl("shown-before"), 303);
  return secretPage(c, {
    title: "The new secret",
    secret: answer.secret,
    children: `Copy it now: it is shown this once. The old one signs beside it for ${OLD_SECRET_SIGNS_HOURS} hours.`,
  });
}

export async function showRemove(c: Context<AppEnv>): Promise<Response> {
  const { id, url } = await ownEndpoint(c);
  const title = "Remove this endpoint?";
  return page(
    c,
    { title, current: "webhooks" },
    <Confirm
      title={title}
      action={`/webhooks/endpoints/${id}/remove`}
      verb="Remove"
      danger
      back="/webhooks"
    >
      <p class="address">{url}</p>
      <p class="text">
        Nothing is sent there any more. Its secret and the list of its deliveries are deleted.
      </p>
    </Confirm>,
  );
}

/** One that was removed meanwhile is removed: pressing twice is no error. */
export async function remove(c: Context<AppEnv>): Promise<Response> {
  const me = signedIn(c).person.id;
  const endpoints = await webhooksOf(c.env, me).endpoints();
  const isThere = endpoints.some(({ id }) => id === c.req.param("id"));
  if (isThere) await removeEndpoint(c, me, c.req.param("id") ?? "");
  return c.redirect(noticeUrl("removed"), 303);
}

export async function sendTest(c: Context<AppEnv>): Promise<Response> {
  const { id } = await ownEndpoint(c);
  const testId = readRepeatId(await readForm(c));
  await webhooksOf(c.env, signedIn(c).person.id).sendTest(id, testId);
  return c.redirect(noticeUrl("tested"), 303);
}

export async function switchOn(c: Context<AppEnv>): Promise<Response> {
  const { id } = await ownEndpoint(c);
  await webhooksOf(c.env, signedIn(c).person.id).switchOn(id);
  return c.redirect(noticeUrl("on"), 303);
}
