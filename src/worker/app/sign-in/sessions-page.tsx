import type { Context } from "hono";
import type { Session } from "../../../contract/directory.ts";
import { directoryOf } from "../../../durable-objects/objects.ts";
import type { AppEnv } from "../../environment.ts";
import { Refused } from "../../refuse.ts";
import { Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Heading, NoticeOf, State } from "../layout/parts.tsx";
import { type Column, Table } from "../layout/table.tsx";
import { clearSessionCookie, endSessionOf, sessionHash, signedIn } from "../session.ts";

const notices = { ended: "The session is ended." };

/** `GET /sessions`: where the person is signed in. */
export async function showSessions(c: Context<AppEnv>): Promise<Response> {
  const { person } = signedIn(c);
  const sessions = await directoryOf(c.env).sessions(person.id, await sessionHash(c));
  const content = (
    <>
      <Heading title="Sessions" />
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      <p>Where {person.email} is signed in. End what you do not know, or do not use any more.</p>
      <Table caption="Your sessions" columns={columns(c.get("frame").startedAt)} rows={sessions} />
      <form method="post" action="/sessions/all/end">
        <button type="submit" class="button danger">
          Sign out everywhere
        </button>
      </form>
    </>
  );
  return page(c, { title: "Sessions", current: "sessions" }, content);
}

/** `POST /sessions/:id/end`: one of the person's own, or `all`. */
export async function endSession(c: Context<AppEnv>): Promise<Response> {
  const { person, sessionId } = signedIn(c);
  const id = c.req.param("id") ?? "";
  const ended = await endSessionOf(c, person.id, id);
  if (!ended) {
    throw new Refused({
      code: "not_found",
      message: "You have no such session; it may have ended.",
    });
  }
  if (id !== "all" && id !== sessionId) return c.redirect("/sessions?notice=ended", 303);
  clearSessionCookie(c);
  return c.redirect("/sign-in?notice=signed-out", 303);
}

function columns(now: number): Column<Session>[] {
  return [
    { title: "Browser", cell: ({ agent }) => agent },
    { title: "Signed in", cell: ({ startedAt }) => <Time at={startedAt} now={now} /> },
    { title: "Last seen", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} now={now} /> },
    {
      title: "End",
      kind: "actions",
      cell: ({ id, agent, current }) =>
        current ? (
          <State kind="good">this one</State>
        ) : (
          <form method="post" action={`/sessions/${id}/end`}>
            <button type="submit" class="plain" aria-label={`End ${agent}`}>
              End
            </button>
          </form>
        ),
    },
  ];
}
