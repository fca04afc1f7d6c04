// `GET /webhooks/endpoints/new` and `POST /webhooks/endpoints`: the answer shows the secret, this once.
// As with a new key, a second press shows the same, and a later one nothing.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { z } from "zod";
import {
  type AddressProblem,
  ENDPOINT_URL_MAX_CHARACTERS,
  ENDPOINTS_MOST,
  type EventType,
  eventTypes,
} from "../../../contract/outgoing-webhooks.ts";
import { addEndpoint as add } from "../../deeds/webhooks.ts";
import type { AppEnv } from "../../environment.ts";
import { emptyForm, type FormState, TextField } from "../layout/fields.tsx";
import { page } from "../layout/page.tsx";
import { checkForm, type FormValues, readForm } from "../read-form.ts";
import { RepeatId, readRepeatId } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { noticeUrl } from "./own-endpoint.ts";
import { secretPage } from "./secret-page.tsx";

const eventWords: Readonly<Record<EventType, string>> = {
  "job.completed": "A Job is done.",
  "job.failed": "A Job can't go on, and has ended.",
  "job.cancelled": "A Job was cancelled, and has ended.",
  "job.paused": "A Job waits: for tokens, for the Spend limit, or for its Model to start.",
  "key.revoked": "One of your keys was revoked, by you or by somebody else.",
  "tokens.granted": "An Admin gave you tokens.",
  "tokens.low": "Less than a tenth is left of what you had after the last Grant.",
};

const NewEndpointForm = z.object({
  url: z
    .string("Write an address.")
    .trim()
    .min(1, "Write an address.")
    .max(ENDPOINT_URL_MAX_CHARACTERS, `Write at most ${ENDPOINT_URL_MAX_CHARACTERS} characters.`),
});

export function showNewEndpoint(c: Context<AppEnv>): Response | Promise<Response> {
  return newEndpointPage(c, emptyForm, 200);
}

export async function addEndpoint(c: Context<AppEnv>): Promise<Response> {
  const values = await readForm(c);
  const id = readRepeatId(values);
  const checked = checkForm(NewEndpointForm, values);
  if (!checked.ok) return newEndpointPage(c, checked.form, 400);
  const events = chosenEvents(values);
  if (events.length === 0) return wrong(c, values, "events", "Choose at least one event.");
  const answer = await add(c, signedIn(c).person.id, { id, url: checked.value.url, events });
  if (!answer.ok) return wrong(c, values, "url", problemInWords(answer), answer.reason);
  const { endpoint, secret } = answer;
  if (secret === null) return c.redirect(noticeUrl("shown-before"), 303);
  return secretPage(c, {
    title: "Your new endpoint",
    secret,
    children: (
      <>
        <span class="address">{endpoint.url}</span> is told from now on. Copy the secret now: it is
        shown this once. Your receiver checks with it that what comes is from here.
      </>
    ),
  });
}

function chosenEvents(values: FormValues): EventType[] {
  return eventTypes.filter((type) => values[type] === "on");
}

type Failed = Extract<Awaited<ReturnType<typeof add>>, { ok: false }>;

function problemInWords(failed: Failed): string {
  switch (failed.reason) {
    case "address":
      return addressProblems[failed.problem];
    case "too_many":
      return `You have ${ENDPOINTS_MOST} endpoints, as many as there can be. Remove one first.`;
    case "conflict":
    case "unknown":
      return "You sent this form before with other content, and that counted. Send it once more to add this.";
  }
}

const addressProblems: Readonly<Record<AddressProblem, string>> = {
  no_address: "This is no address. Write one as https://example.com/hooks.",
  no_https: "Write an address that begins with https://, so that nobody reads along.",
  credentials: "Leave name and password out of the address: the signature says who sends.",
  private: "This address is not on the public internet. Write one that can be reached from there.",
  no_public_name: "This name is known only inside a network. Write one that is known everywhere.",
};

function wrong(
  c: Context<AppEnv>,
  values: FormValues,
  field: "url" | "events",
  problem: string,
  reason?: Failed["reason"],
): Response | Promise<Response> {
  const isConflict = reason === "too_many" || reason === "conflict";
  return newEndpointPage(c, { values, errors: { [field]: problem } }, isConflict ? 409 : 400);
}

function newEndpointPage(
  c: Context<AppEnv>,
  form: FormState,
  status: number,
): Response | Promise<Response> {
  return page(
    c,
    { title: "Add an endpoint", current: "webhooks", status },
    <form method="post" action="/webhooks/endpoints" class="form">
      <h1>Add an endpoint</h1>
      <RepeatId />
      <TextField
        field="url"
        label="Address"
        form={form}
        hint="An https:// address of yours that takes POST and answers with 200 or 204."
        required
        maxlength={ENDPOINT_URL_MAX_CHARACTERS}
        inputmode="url"
        autocomplete="off"
      />
      <EventChoice form={form} />
      <div class="actions">
        <button type="submit" class="button">
          Add
        </button>
        <a href="/webhooks">Cancel</a>
      </div>
    </form>,
  );
}

/** All are chosen until somebody has chosen. */
function EventChoice({ form }: { form: FormState }): Child {
  const isNew = form === emptyForm;
  const error = form.errors.events;
  return (
    <fieldset class="checks" aria-describedby={error === undefined ? undefined : "events-error"}>
      <legend>Events</legend>
      {eventTypes.map((type) => (
        <div class="check">
          <input
            type="checkbox"
            id={type}
            name={type}
            checked={isNew || form.values[type] === "on"}
            aria-describedby={`${type}-hint`}
          />
          <label for={type}>{type}</label>
          <p class="hint" id={`${type}-hint`}>
            {eventWords[type]}
          </p>
        </div>
      ))}
      {error === undefined ? null : (
        <p class="field-error" id="events-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}
