// `GET /models`: what each Model is, what it costs, how it starts; and waking one, which Admins may.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { Model } from "../../../contract/catalogue.ts";
import type { InferenceSnapshot } from "../../../contract/inference.ts";
import { inferenceOf, spendLimitOf } from "../../../durable-objects/objects.ts";
import { servedModel } from "../../api/models.ts";
import { wakeModel } from "../../deeds/models.ts";
import type { AppEnv } from "../../environment.ts";
import { count, duration, usd } from "../layout/amounts.tsx";
import { page } from "../layout/page.tsx";
import { Confirm, Fact, Heading, NoticeOf } from "../layout/parts.tsx";
import { StartBars } from "../look/start-bars.tsx";
import { readForm } from "../read-form.ts";
import { RepeatId, readRepeatId } from "../repeat-id.tsx";
import { signedIn } from "../session.ts";
import { ModelStateOf, NoModels, Paused } from "./model-states.tsx";

const notices = { woken: "The Model is starting; its state is below." };

interface ShownModel {
  model: Model;
  price: ModelPrice;
  status: InferenceSnapshot["status"];
  snapshot: InferenceSnapshot;
}

interface ModelPrice {
  /** Of one container. */
  usdPerHour: number;
  idleMs: number;
}

export async function showModels(c: Context<AppEnv>): Promise<Response> {
  const served = [...c.get("services").models.values()];
  const [verdict, ...models] = await Promise.all([
    spendLimitOf(c.env).verdict(),
    ...served.map(({ model }) => readModel(c, model)),
  ]);
  const isAdmin = signedIn(c).person.role === "admin";
  const now = c.get("frame").startedAt;
  return page(
    c,
    { title: "Models", current: "models" },
    <>
      <Heading title="Models" />
      <NoticeOf name={c.req.query("notice")} notices={notices} />
      <Paused verdict={verdict} />
      {models.length === 0 ? <NoModels /> : null}
      {models.map((one) => (
        <ModelSection of={one} now={now} mayWake={isAdmin && !verdict.paused} />
      ))}
    </>,
  );
}

/** `GET /models/:id/wake`, for Admins: what it costs, before it does. */
export async function showWake(c: Context<AppEnv>): Promise<Response> {
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  const { price, status } = await readModel(c, model);
  const title = `Wake ${model.id}?`;
  return page(
    c,
    { title, current: "models" },
    <Confirm title={title} action={`/models/${model.id}/wake`} verb="Wake" back="/models">
      <RepeatId />
      <p class="text">{costInWords(price, status.expectedStartMs)}</p>
    </Confirm>,
  );
}

/** `POST /models/:id/wake`, for Admins. */
export async function wake(c: Context<AppEnv>): Promise<Response> {
  const { model } = servedModel(c.get("services"), c.req.param("id") ?? "");
  const id = readRepeatId(await readForm(c));
  await wakeModel(c, signedIn(c).person.id, model.id, { id });
  return c.redirect(`/models?notice=woken#${model.id}`, 303);
}

/** A start, and the wait for a request that may never come, at the price of one container. */
export function costInWords({ usdPerHour, idleMs }: ModelPrice, startMs: number): string {
  const takes = `It takes about ${duration(startMs)} to start, and stops when nobody has used it for ${duration(idleMs)}.`;
  if (usdPerHour === 0) return `${takes} It costs nothing: no GPU is metered for it.`;
  const least = (usdPerHour * (startMs + idleMs)) / 3_600_000;
  return `${takes} At ${usd(usdPerHour)} an hour that is about ${usd(least)}, and more while it is used.`;
}

async function readModel(c: Context<AppEnv>, model: Model): Promise<ShownModel> {
  const snapshot = await inferenceOf(c.env, model.id).snapshot();
  const configured = c.get("services").configuration.BACKENDS[model.id];
  const price = {
    usdPerHour: configured?.usd_per_hour ?? model.price_per_gpu_hour * model.gpu_count,
    idleMs: (configured?.idle_seconds ?? model.idle_seconds) * 1_000,
  };
  return { model, price, snapshot, status: snapshot.status };
}

function ModelSection(props: { of: ShownModel; now: number; mayWake: boolean }): Child {
  const { model, price, snapshot, status } = props.of;
  return (
    <section class="block model" id={model.id} aria-labelledby={`name-${model.id}`}>
      <div class="heading">
        <h2 id={`name-${model.id}`} class="mono">
          {model.id}
        </h2>
        {props.mayWake && status.state === "cold" ? (
          <a class="button second" href={`/models/${model.id}/wake`}>
            Wake
          </a>
        ) : null}
      </div>
      <p>
        <ModelStateOf status={status} now={props.now} />
        {snapshot.waiting > 0 ? `, ${count(snapshot.waiting)} requests wait` : null}
      </p>
      <dl class="facts">
        <Fact term="GPU">
          {model.gpu_count === 0 ? "none" : `${count(model.gpu_count)} × ${model.gpu}`}
        </Fact>
        <Fact term="Price">
          {price.usdPerHour === 0 ? "free" : `${usd(price.usdPerHour)} an hour`}
        </Fact>
        <Fact term="Context">{count(model.max_model_len)} tokens</Fact>
        <Fact term="Vocabulary">{count(model.vocab_size)} tokens</Fact>
        <Fact term="Most output of a request">{count(model.max_output_tokens)} tokens</Fact>
        <Fact term="Most logprobs of a token">{count(model.max_logprobs)}</Fact>
        <Fact term="Most logprob cells">{count(model.max_logprob_cells)}</Fact>
        <Fact term="Whole-vocabulary prompt">{count(model.whole_vocabulary_tokens)} tokens</Fact>
        <Fact term="Number format">{model.dtype}</Fact>
        <Fact term="Weights">{model.repo}</Fact>
        <Fact term="Revision">
          <code title={model.revision}>{model.revision.slice(0, 12)}</code>
        </Fact>
      </dl>
      <Starts of={snapshot} />
    </section>
  );
}

function Starts({ of: { starts, startsTotal } }: { of: InferenceSnapshot }): Child {
  const newest = starts[0];
  if (newest === undefined) return <p class="quiet">No start was seen yet.</p>;
  return (
    <div class="block-close">
      <h3>Last starts</h3>
      <StartBars starts={starts} />
      <p class="quiet">
        The last took {duration(newest.durationMs)}; {count(startsTotal)} in all.
      </p>
    </div>
  );
}
