import type { Child } from "hono/jsx";
import type { Person } from "../../../contract/directory.ts";
import { Time } from "../layout/amounts.tsx";
import { State } from "../layout/parts.tsx";

/** Disabled, active, or invited and until when. */
export function PersonState({ person, now }: { person: Person; now: number }): Child {
  const { disabled, invitedUntil } = person;
  if (disabled) return <State kind="bad">disabled</State>;
  if (invitedUntil === null) return <State kind="good">active</State>;
  if (invitedUntil <= now) return <State kind="quiet">invite expired</State>;
  return (
    <State kind="busy">
      invited, ends <Time at={invitedUntil} now={now} />
    </State>
  );
}
