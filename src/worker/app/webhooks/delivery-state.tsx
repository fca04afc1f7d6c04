// How a delivery stands, in words.
import type { Child } from "hono/jsx";
import type { Delivery, DeliveryAttempt } from "../../../contract/outgoing-webhooks.ts";
import { count, Time } from "../layout/amounts.tsx";
import { State } from "../layout/parts.tsx";

const kinds = {
  waiting: "busy",
  delivered: "good",
  failed: "bad",
  unsent: "quiet",
} as const satisfies Record<Delivery["state"], string>;

export function DeliveryState({ of, now }: { of: Delivery; now: number }): Child {
  const { state, attempts, nextAt } = of;
  const words = state === "unsent" ? "not sent" : state;
  return (
    <>
      <State kind={kinds[state]}>{words}</State>
      {nextAt === null || attempts.length === 0 ? null : (
        <span class="quiet">
          , next try <Time at={nextAt} now={now} />
        </span>
      )}
    </>
  );
}

/** What the last attempt met, and how many there were. */
export function LastAnswer({ of: { attempts } }: { of: Delivery }): Child {
  const last = attempts.at(-1);
  if (last === undefined) return <span class="quiet">none yet</span>;
  return (
    <>
      {answerInWords(last)}
      {attempts.length > 1 ? <span class="quiet">, {count(attempts.length)} attempts</span> : null}
    </>
  );
}

export function answerInWords({ status, problem }: DeliveryAttempt): string {
  if (status !== null) return `status ${status}`;
  return problem === "timeout" ? "no answer in time" : "not reached";
}

/** Where it went, as short as a table has room for. */
export function hostOf({ url }: Pick<Delivery["endpoint"], "url">): string {
  return new URL(url).host;
}
