// Each Model with its state, on Home and as the fragment that Home asks for while it stands open.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ModelState, ModelStatus } from "../../../contract/inference.ts";
import type { SpendVerdict } from "../../../contract/spend.ts";
import { spendLimitOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { readStatus } from "../../inference/model-status.ts";
import { duration, exactTime } from "../layout/amounts.tsx";
import { EmptyState, Notice, State } from "../layout/parts.tsx";
import { readSession } from "../session.ts";

export interface ShownStates {
  models: { id: string; status: ModelStatus }[];
  /** As the Spend limit itself says, which a Model that rests has not heard. */
  verdict: SpendVerdict;
}

export async function readModelStates(c: Context<AppEnv>): Promise<ShownStates> {
  const ids = [...c.get("services").models.keys()];
  const [verdict, ...models] = await Promise.all([
    spendLimitOf(c.env).verdict(),
    ...ids.map(async (id) => ({ id, status: await readStatus(c, id) })),
  ]);
  return { models, verdict };
}

/** `GET /models/states`. To a page that has outlived its session it says: load yourself again. */
export async function showModelStates(c: Context<AppEnv>): Promise<Response> {
  if ((await readSession(c)) === null) return c.body(null, 204, { "hx-refresh": "true" });
  const now = c.get("frame").startedAt;
  return c.html(<ModelStates of={await readModelStates(c)} now={now} />);
}

/** How often an open page asks: what starts is watched, the rest changes seldom. */
const WATCH_SECONDS = 5;
const LOOK_SECONDS = 30;

export function ModelStates(props: { of: ShownStates; now: number }): Child {
  const { of, now } = props;
  const { models, verdict } = of;
  if (models.length === 0) return <NoModels />;
  const seconds = models.some(({ status }) => status.state === "starting")
    ? WATCH_SECONDS
    : LOOK_SECONDS;
  return (
    <div class="block" hx-get="/models/states" hx-trigger={`every ${seconds}s`} hx-swap="outerHTML">
      <Paused verdict={verdict} />
      <ul class="list model-states">
        {models.map(({ id, status }) => (
          <li>
            {/* By its id htmx finds the link again that had the focus. */}
            <a id={`state-of-${id}`} href={`/models#${id}`}>
              {id}
            </a>
            <ModelStateOf status={status} now={now} />
          </li>
        ))}
      </ul>
    </div>
  );
}

export function NoModels(): Child {
  return (
    <EmptyState title="No Model is served here.">
      <p>The operator has to give at least one Model a backend.</p>
    </EmptyState>
  );
}

/** Said once for all, since the Spend limit holds for all. */
export function Paused({ verdict }: { verdict: SpendVerdict }): Child {
  if (!verdict.paused) return null;
  const { reason, liftsAt } = verdict;
  return (
    <Notice kind="problem">
      New Completions are refused:{" "}
      {reason === "spend_limit"
        ? "the month's Spend limit is reached."
        : "an Admin has paused them."}{" "}
      {liftsAt === null ? "An Admin can resume them." : `This ends at ${exactTime(liftsAt)}.`}
    </Notice>
  );
}

const kinds = { warm: "good", starting: "busy", cold: "quiet" } as const satisfies Record<
  ModelState,
  string
>;

export function ModelStateOf(props: { status: ModelStatus; now: number }): Child {
  const { state, expectedStartMs, startingSince } = props.status;
  return (
    <State kind={kinds[state]}>
      {state}
      <span class="quiet">{stateInWords(state, expectedStartMs, startingSince, props.now)}</span>
    </State>
  );
}

function stateInWords(
  state: ModelState,
  expectedMs: number,
  since: number | null,
  now: number,
): string {
  switch (state) {
    case "warm":
      return ": answers at once";
    case "cold":
      return `: the first request waits about ${duration(expectedMs)}`;
    case "starting":
      return startingInWords(expectedMs, since === null ? 0 : now - since);
  }
}

function startingInWords(expectedMs: number, soFarMs: number): string {
  const leftMs = expectedMs - soFarMs;
  if (leftMs <= 0) return `: for ${duration(soFarMs)}, longer than usual`;
  return `: about ${duration(leftMs)} left`;
}
