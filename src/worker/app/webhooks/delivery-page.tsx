// `GET /webhooks/deliveries/{id}`: one event on its way to one endpoint: each attempt, and what is sent.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { DELIVERIES_KEPT_DAYS, type Delivery } from "../../../contract/outgoing-webhooks.ts";
import { webhooksOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { duration, Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Copyable, Fact, Heading } from "../layout/parts.tsx";
import { Table } from "../layout/table.tsx";
import { signedIn } from "../session.ts";
import { answerInWords, DeliveryState } from "./delivery-state.tsx";
import { noticeUrl } from "./own-endpoint.ts";

export async function showDelivery(c: Context<AppEnv>): Promise<Response> {
  const { delivery, body } = await ownDelivery(c);
  const { id, event, endpoint } = delivery;
  const now = c.get("frame").startedAt;
  return page(
    c,
    { title: event.type, current: "webhooks" },
    <>
      <Heading title={event.type}>
        <a href="/webhooks">All deliveries</a>
      </Heading>
      <p>
        <DeliveryState of={delivery} now={now} />
      </p>
      <dl class="figures">
        <Fact term="Happened">
          <Time at={event.at} now={now} />
        </Fact>
        <Fact term="To">
          <span class="address">{endpoint.url}</span>
        </Fact>
        <Fact term="Id">
          <code class="address">{event.id}</code>
        </Fact>
      </dl>
      <form method="post" action={`/webhooks/deliveries/${id}/replay`}>
        <button type="submit" class="button second">
          Send again
        </button>
      </form>
      <Attempts of={delivery} now={now} />
      <section class="block">
        <h2>What is sent</h2>
        <Copyable id="body" label="The body" text={body} />
      </section>
    </>,
  );
}

/** One that is on its way already is sent sooner: pressing twice is no error. */
export async function replay(c: Context<AppEnv>): Promise<Response> {
  const { delivery } = await ownDelivery(c);
  const sent = await webhooksOf(c.env, signedIn(c).person.id).replay(delivery.id);
  if (sent !== null) return c.redirect(noticeUrl("replayed"), 303);
  const message = "Its endpoint is switched off. Switch it on first, then send this again.";
  throw new Refused({ code: "conflict", message });
}

/** Throws `Refused` 404. */
async function ownDelivery(c: Context<AppEnv>): Promise<{ delivery: Delivery; body: string }> {
  const id = c.req.param("id") ?? "";
  const webhooks = webhooksOf(c.env, signedIn(c).person.id);
  const found = /^\d{1,15}$/.test(id) ? await webhooks.delivery(id) : null;
  if (found !== null) return found;
  const message = `You have no such delivery. It may have been removed: they are kept for ${DELIVERIES_KEPT_DAYS} days, and as long as their endpoint.`;
  throw new Refused({ code: "not_found", message });
}

function Attempts({ of: { attempts }, now }: { of: Delivery; now: number }): Child {
  if (attempts.length === 0) return null;
  return (
    <section class="block">
      <h2>Attempts</h2>
      <Table
        caption="Attempts, the last one first"
        rows={[...attempts].reverse()}
        columns={[
          { title: "When", cell: ({ at }) => <Time at={at} now={now} /> },
          { title: "Answer", cell: answerInWords },
          { title: "Took", kind: "number", cell: ({ durationMs }) => took(durationMs) },
        ]}
      />
    </section>
  );
}

/** Most answers take less than a second. */
function took(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : duration(ms);
}
