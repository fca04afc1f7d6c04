// `GET /`: the tokens one has, the Models, and how to use both.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { TokenFigures } from "../../../contract/account.ts";
import type { TokenRequest } from "../../../contract/directory.ts";
import { accountOf, directoryOf } from "../../../durable-objects/objects.ts";
import { showWelcome } from "../../docs/docs.ts";
import type { AppEnv } from "../../environment.ts";
import { RunningJobs, readRunning } from "../jobs/running-jobs.tsx";
import { count, Time } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Copyable, EmptyState, Notice } from "../layout/parts.tsx";
import { signedIn } from "../session.ts";
import { codeLines } from "./code-lines.ts";
import { KeyNotices, readKeyNotices } from "./key-notices.tsx";
import { ModelStates, readModelStates } from "./model-states.tsx";

/** Programs that open the address itself get plain text; whoever asks for a page goes on to Home. */
export async function welcomePrograms(
  c: Context<AppEnv>,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  if (!(c.req.header("accept") ?? "").includes("text/html")) return showWelcome(c);
  await next();
}

const noTokens: TokenFigures = { granted: 0, spent: 0, held: 0, available: 0 };

export async function showHome(c: Context<AppEnv>): Promise<Response> {
  const me = signedIn(c).person.id;
  const account = accountOf(c.env, me);
  const newest = { personId: me, state: null, after: null, limit: 1 };
  const [snapshot, keys, requests, models, running, told] = await Promise.all([
    account.snapshot(),
    account.keys(),
    directoryOf(c.env).tokenRequests(newest),
    readModelStates(c),
    readRunning(c),
    readKeyNotices(c),
  ]);
  const now = c.get("frame").startedAt;
  const hasKey = keys.some(({ revokedAt }) => revokedAt === null);
  return page(
    c,
    { title: "Home", current: "home" },
    <>
      <h1 class="for-readers">Home</h1>
      <KeyNotices notices={told} on="home" now={now} />
      <Tokens tokens={snapshot?.tokens ?? noTokens} request={requests.rows[0] ?? null} now={now} />
      <section class="block">
        <h2>Models</h2>
        <ModelStates of={models} now={now} />
      </section>
      {running.underWay === 0 ? null : <RunningJobs of={running} now={now} />}
      <section class="block">
        <h2>Three lines of Python</h2>
        {hasKey ? null : (
          <EmptyState title="You need a key first.">
            <a class="button" href="/keys/new">
              Create your first key
            </a>
          </EmptyState>
        )}
        <Copyable id="lines" label="Three lines of Python" text={codeLines(c, "ctn_…")} />
      </section>
    </>,
  );
}

function Tokens(props: { tokens: TokenFigures; request: TokenRequest | null; now: number }): Child {
  const { tokens, request, now } = props;
  const { granted, spent, held, available } = tokens;
  return (
    <section class="block" aria-labelledby="available">
      <div>
        <h2 id="available" class="quiet">
          Tokens available
        </h2>
        <p class="figure-large">{count(available)}</p>
      </div>
      <dl class="figures">
        <Figure term="Granted" value={granted} />
        <Figure term="Spent" value={spent} />
        <Figure term="Held by what runs now" value={held} />
      </dl>
      <LastRequest request={request} now={now} />
      <p>
        <a href="/usage/requests">
          {request?.state === "open" ? "See your request" : "Request more tokens"}
        </a>
      </p>
    </section>
  );
}

function Figure({ term, value }: { term: string; value: number }): Child {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}

/** A decision is news for so long. */
const NEWS_MS = 3 * 86_400_000;

function LastRequest(props: { request: TokenRequest | null; now: number }): Child {
  const { request, now } = props;
  if (request === null) return null;
  const { state, tokens, askedAt, decidedAt, granted, note } = request;
  if (state === "open") {
    return (
      <Notice>
        You asked for {count(tokens)} tokens <Time at={askedAt} now={now} />; an Admin has yet to
        answer.
      </Notice>
    );
  }
  const isNews = decidedAt !== null && now - decidedAt < NEWS_MS;
  if (!isNews || state === "withdrawn") return null;
  return (
    <Notice kind={state === "approved" ? "done" : "problem"}>
      {state === "approved"
        ? `Your request was approved: ${count(granted ?? 0)} tokens.`
        : `Your request for ${count(tokens)} tokens was rejected.`}
      {note === "" ? null : ` The Admin says: ${note}`}
    </Notice>
  );
}
