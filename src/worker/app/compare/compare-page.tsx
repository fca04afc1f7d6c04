// `GET /compare`: the frame of one text before several Models or settings. Its script,
// src/islands/compare, finds the elements by their ids and asks the API for what is shown in them.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Heading } from "../layout/parts.tsx";
import { NoModels } from "../member/model-states.tsx";
import { signedIn } from "../session.ts";
import { CodePart } from "../workbench/code-part.tsx";
import { ColourBy } from "../workbench/colour-by.tsx";
import { CompareColumn } from "./compare-column.tsx";

const names = ["A", "B", "C", "D"] as const;

/** The others wait until somebody adds them. */
const SHOWN_AT_FIRST = 2;

export function showCompare(c: Context<AppEnv>): Response | Promise<Response> {
  const models = [...c.get("services").models.keys()];
  const [first] = models;
  const { person } = signedIn(c);
  return page(
    c,
    { title: "Compare", current: "compare", script: "compare.js", look: "compare.css" },
    <>
      <Heading title="Compare" />
      <p class="hint">
        One text before several Models, or one Model with several settings. Each column is a request
        of its own and costs as one.{" "}
        <a href="/docs/how-to/compare-models-and-settings">How it works</a>.
      </p>
      <noscript>
        <p>This page is an instrument and needs its script. The API does all of it too.</p>
      </noscript>
      {first === undefined ? (
        <NoModels />
      ) : (
        <Comparison person={person.id} models={models} first={first} />
      )}
    </>,
  );
}

interface ComparisonProps {
  person: string;
  models: readonly string[];
  first: string;
}

function Comparison({ person, models, first }: ComparisonProps): Child {
  const second = models[1];
  return (
    <div id="compare" class="block" data-person={person}>
      <WriteForm />
      <p id="problem" class="notice notice-problem" role="alert" hidden />
      <div class="write-head">
        <ColourBy />
        <button type="button" class="button second" id="add">
          Add a column
        </button>
      </div>
      {/* Busy until the script has brought back those of before a reload. */}
      <div id="columns" class="compare-columns" data-names={names.join(" ")} aria-busy="true">
        {names.map((name, at) => (
          <CompareColumn
            name={name}
            models={models}
            model={at === 1 && second !== undefined ? second : first}
            // Two columns that differ in something, whoever presses Send first.
            temperature={at === 1 && second === undefined ? "0.5" : "1"}
            hidden={at >= SHOWN_AT_FIRST}
          />
        ))}
      </div>
      <Scores />
      <CodePart label="The loop over all columns" languages={["python", "typescript"]} />
    </div>
  );
}

function WriteForm(): Child {
  return (
    <form id="write" class="block">
      <label for="prompt">Text to continue</label>
      <textarea id="prompt" class="mono" rows={3} aria-describedby="counter" spellcheck={false} />
      <p id="counter" class="quiet">
        Write something to continue.
      </p>
      <div class="actions">
        <button type="submit" class="button" title="Ctrl and Enter">
          Continue in all
        </button>
        <button type="button" class="button second" id="stop" disabled title="Escape">
          Stop all
        </button>
        <button type="button" class="button second" id="score-text">
          Score the text in each Model
        </button>
        <span class="quiet">Ctrl+Enter continues, Escape stops</span>
      </div>
    </form>
  );
}

const scoreTitles = [
  "Model",
  "Tokens",
  "Nats",
  "Bits",
  "Bits a token",
  "Bits a byte",
  "Perplexity",
] as const;

function Scores(): Child {
  return (
    <section id="scores" class="block" aria-labelledby="scores-title" hidden>
      <h2 id="scores-title">The text's score in each Model</h2>
      <p class="quiet">
        How surprised each Model is by the text itself; its first token has no score. Models cut a
        text into different tokens: compare them by bits a byte.
      </p>
      <section class="table-frame" tabindex={0} aria-label="Scores by Model">
        <table class="compare-scores">
          <thead>
            <tr>
              {scoreTitles.map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody id="score-rows" />
        </table>
      </section>
      <div id="score-texts" class="compare-columns" />
    </section>
  );
}
