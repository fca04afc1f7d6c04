// `GET /webhooks`: a person's endpoints, and what was sent to them, which moves while it is under way.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Page } from "../../../contract/directory.ts";
import {
  type Delivery,
  ENDPOINT_FAILING_DAYS,
  ENDPOINTS_MOST,
  type Endpoint,
} from "../../../contract/outgoing-webhooks.ts";
import { webhooksOf } from "../../../durable-objects/objects.ts";
import { docsUrl } from "../../docs/docs.ts";
import type { AppEnv } from "../../environment.ts";
import { live } from "../jobs/live.ts";
import { Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { EmptyState, Fact, Heading, Name, Notice, NoticeOf, State } from "../layout/parts.tsx";
import { NextPage, ROWS_A_PAGE, Table } from "../layout/table.tsx";
import { RepeatId } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { DeliveryState, hostOf, LastAnswer } from "./delivery-state.tsx";
import { webhookNotices } from "./own-endpoint.ts";

const PATH = "/webhooks";

/** What is tried later than this is not waited for by an open page. */
const SOON_MS = 30_000;

interface ShownDeliveries {
  deliveries: Page<Delivery>;
  after: string | null;
  now: number;
}

export async function showWebhooks(c: Context<AppEnv>): Promise<Response> {
  const [endpoints, shown] = await Promise.all([
    webhooksOf(c.env, signedIn(c).person.id).endpoints(),
    readDeliveries(c),
  ]);
  const hasRoom = endpoints.length < ENDPOINTS_MOST;
  const add = (
    <a class="button" href="/webhooks/endpoints/new">
      Add an endpoint
    </a>
  );
  return page(
    c,
    { title: "Webhooks", current: "webhooks" },
    <>
      <Heading title="Webhooks">{endpoints.length > 0 && hasRoom ? add : undefined}</Heading>
      <NoticeOf name={c.req.query("notice")} notices={webhookNotices} />
      {endpoints.length === 0 ? <NoEndpoints c={c}>{add}</NoEndpoints> : null}
      {hasRoom ? null : <p class="quiet">These are {ENDPOINTS_MOST}, as many as there can be.</p>}
      {endpoints.map((endpoint) => (
        <EndpointSection of={endpoint} now={shown.now} />
      ))}
      {endpoints.length === 0 ? null : <Deliveries of={shown} />}
    </>,
  );
}

/** `GET /webhooks/deliveries/rows?after=`: the rows of one page, as they are now. */
export async function showDeliveryRows(c: Context<AppEnv>): Promise<Response> {
  return c.html(<DeliveryRows of={await readDeliveries(c)} />);
}

async function readDeliveries(c: Context<AppEnv>): Promise<ShownDeliveries> {
  const asked = c.req.query("after");
  const after = asked !== undefined && /^\d{1,15}$/.test(asked) ? asked : null;
  const webhooks = webhooksOf(c.env, signedIn(c).person.id);
  const deliveries = await webhooks.deliveries({ after, limit: ROWS_A_PAGE });
  return { deliveries, after, now: c.get("frame").startedAt };
}

function NoEndpoints(props: { c: Context<AppEnv>; children?: Child }): Child {
  return (
    <EmptyState title="You have no endpoint yet.">
      <p class="text">
        An endpoint is an https:// address of yours that is told when a Job ends or pauses, when a
        key is revoked, and when tokens come or run low. What is sent there is signed.
      </p>
      {props.children}
      <p>
        <a href={`${docsUrl(props.c)}/how-to/get-told-by-webhook`}>How to get told by webhook</a>
      </p>
    </EmptyState>
  );
}

function EndpointSection({ of, now }: { of: Endpoint; now: number }): Child {
  const { id, url, events, createdAt, oldSecretUntil } = of;
  const at = `/webhooks/endpoints/${id}`;
  return (
    <article class="block endpoint" aria-labelledby={id}>
      <h2 id={id} class="address">
        {url}
      </h2>
      <EndpointState of={of} now={now} />
      <dl class="figures">
        <Fact term="Events">{events.join(", ")}</Fact>
        <Fact term="Added">
          <Time at={createdAt} now={now} />
        </Fact>
        {oldSecretUntil === null ? null : (
          <Fact term="The secret before signs until">
            <Time at={oldSecretUntil} now={now} />
          </Fact>
        )}
      </dl>
      <div class="actions">
        {of.off === null ? (
          <form method="post" action={`${at}/test`}>
            <RepeatId />
            <button type="submit" class="button second">
              Send a test event
            </button>
          </form>
        ) : (
          <form method="post" action={`${at}/on`}>
            <button type="submit" class="button">
              Switch it on
            </button>
          </form>
        )}
        <a href={`${at}/rotate`}>Replace the secret</a>
        <a href={`${at}/remove`} class="danger-link">
          Remove
        </a>
      </div>
    </article>
  );
}

function EndpointState({ of: { off, failingSince }, now }: { of: Endpoint; now: number }): Child {
  if (off !== null) {
    const why =
      off.why === "gone"
        ? "it answered 410, which says that it is gone for good"
        : `every attempt failed for ${ENDPOINT_FAILING_DAYS} days`;
    return (
      <Notice kind="problem">
        Switched off <Time at={off.at} now={now} />: {why}. Nothing is sent there. Mend the
        receiver, switch it on, and send again what it has missed.
      </Notice>
    );
  }
  if (failingSince === null) {
    return (
      <p>
        <State kind="good">on</State>
      </p>
    );
  }
  return (
    <p>
      <State kind="bad">
        failing since <Time at={failingSince} now={now} />
      </State>
      <span class="quiet">
        ; after {ENDPOINT_FAILING_DAYS} days of nothing else it is switched off
      </span>
    </p>
  );
}

function Deliveries({ of }: { of: ShownDeliveries }): Child {
  const { deliveries, after } = of;
  const isEmpty = deliveries.rows.length === 0 && after === null;
  return (
    <section class="block deliveries">
      <h2>Deliveries</h2>
      {isEmpty ? (
        <p class="quiet">Nothing was sent yet. A test event shows whether your receiver answers.</p>
      ) : (
        <DeliveryRows of={of} />
      )}
      <NextPage
        href={deliveries.next === null ? null : `${PATH}?${afterQuery(deliveries.next)}`}
        first={after === null ? null : PATH}
      />
    </section>
  );
}

function afterQuery(after: string | null): string {
  return after === null ? "" : String(new URLSearchParams({ after }));
}

function DeliveryRows({ of }: { of: ShownDeliveries }): Child {
  const { deliveries, after, now } = of;
  const goesOn = deliveries.rows.some(({ nextAt }) => nextAt !== null && nextAt < now + SOON_MS);
  return (
    <div id="deliveries" {...live(`/webhooks/deliveries/rows?${afterQuery(after)}`, goesOn)}>
      <Table
        caption="Deliveries to your endpoints"
        rows={deliveries.rows}
        columns={[
          {
            title: "Event",
            cell: ({ id, event }) => <a href={`/webhooks/deliveries/${id}`}>{event.type}</a>,
          },
          { title: "Happened", cell: ({ event }) => <Time at={event.at} now={now} /> },
          { title: "To", cell: ({ endpoint }) => <Name>{hostOf(endpoint)}</Name> },
          { title: "State", cell: (delivery) => <DeliveryState of={delivery} now={now} /> },
          { title: "Last answer", cell: (delivery) => <LastAnswer of={delivery} /> },
          { title: "Replay", cell: (delivery) => <Replay of={delivery} /> },
        ]}
      />
    </div>
  );
}

function Replay({ of: { id, event } }: { of: Delivery }): Child {
  return (
    <form method="post" action={`/webhooks/deliveries/${id}/replay`}>
      <button type="submit" class="plain" aria-label={`Send again: ${event.type}, number ${id}`}>
        Send again
      </button>
    </form>
  );
}
