// `GET /workbench`: the frame of the instrument. Its script, src/islands/workbench, finds the elements
// by their ids and asks the API for everything that is shown in them.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Heading } from "../layout/parts.tsx";
import { NoModels } from "../member/model-states.tsx";
import { CodePart } from "./code-part.tsx";
import { ColourBy } from "./colour-by.tsx";
import { SettingsForm, usualSettings } from "./settings-form.tsx";
import { TokenSide } from "./token-side.tsx";
import { VocabularySection } from "./vocabulary-section.tsx";

export function showWorkbench(c: Context<AppEnv>): Response | Promise<Response> {
  const models = [...c.get("services").models.keys()];
  return page(
    c,
    { title: "Workbench", current: "workbench", script: "workbench.js", look: "workbench.css" },
    <>
      <Heading title="Workbench" />
      <p class="hint">
        Write, let a Model go on, and see what it thought of each token.{" "}
        <a href="/docs/how-to/look-into-a-model-with-the-workbench">How it works</a>.
      </p>
      <noscript>
        <p>This page is an instrument and needs its script. The API does all of it too.</p>
      </noscript>
      {models.length === 0 ? <NoModels /> : <Bench models={models} />}
    </>,
  );
}

function Bench({ models }: { models: readonly string[] }): Child {
  return (
    <div class="bench">
      <div class="bench-text block">
        <WriteForm models={models} />
        <SavedPart />
        <div role="status" id="status" class="quiet" />
        <p id="problem" class="notice notice-problem" role="alert" hidden />
        <ModelText />
        <VocabularySection />
        <CodePart
          label="The call that Continue makes"
          languages={["python", "typescript", "curl"]}
        />
      </div>
      <aside class="bench-side block" aria-label="Token and settings">
        <TokenSide />
        <h2>Settings</h2>
        <SettingsForm id="settings" label="Settings" usual={usualSettings("1")} />
        <p id="seed-line" hidden>
          Last seed <output id="seed-used" class="mono" />{" "}
          <button type="button" class="plain" id="pin">
            Pin it
          </button>
        </p>
      </aside>
    </div>
  );
}

function WriteForm({ models }: { models: readonly string[] }): Child {
  return (
    <form id="write" class="block">
      <div class="write-head">
        <label for="prompt">Text to continue</label>
        <span class="inline">
          <label for="model">Model</label>
          <select id="model">
            {models.map((id) => (
              <option value={id}>{id}</option>
            ))}
          </select>
        </span>
      </div>
      <textarea id="prompt" class="mono" rows={6} aria-describedby="counter" spellcheck={false} />
      <p id="counter" class="quiet">
        Write something to continue.
      </p>
      <div class="actions">
        <button type="submit" class="button" title="Ctrl and Enter">
          Continue
        </button>
        <button type="button" class="button second" id="stop" disabled title="Escape">
          Stop
        </button>
        <button type="button" class="button second" id="score-text">
          Score the text
        </button>
        <span class="quiet">Ctrl+Enter continues, Escape stops</span>
      </div>
    </form>
  );
}

function ModelText(): Child {
  return (
    <section id="text-frame" class="block" aria-label="Model text" tabindex={-1} hidden>
      <div class="write-head">
        <ColourBy />
      </div>
      <div class="model-text">
        <span id="lead" class="lead" />
        <section id="model-text" aria-label="Tokens" />
      </div>
      <p id="pointed" class="pointed quiet mono">
        Point at a token to see its numbers.
      </p>
      <Score />
      <div class="actions">
        <button type="button" class="button second" id="take">
          Take it into the text
        </button>
        <button type="button" class="plain" id="clear">
          Clear
        </button>
      </div>
    </section>
  );
}

function SavedPart(): Child {
  return (
    <details id="saved">
      <summary>Saved prompts</summary>
      <div class="block">
        <p id="saved-none" class="quiet">
          None yet. What you save is kept with your account until you delete it; nothing else is.
        </p>
        <ul id="saved-list" class="saved" aria-label="Saved prompts" />
        <form id="save-form" class="form-row">
          <div class="field">
            <label for="save-name">Name</label>
            <input id="save-name" required maxlength={NAME_MAX_CHARACTERS} autocomplete="off" />
          </div>
          <button type="submit" class="button second">
            Save the text
          </button>
        </form>
        <p id="saved-said" role="status" />
      </div>
    </details>
  );
}

const scores = [
  { id: "score-tokens", title: "tokens" },
  { id: "score-nats", title: "nats" },
  { id: "score-bits", title: "bits" },
  { id: "score-each", title: "bits a token" },
  { id: "score-perplexity", title: "perplexity" },
] as const;

function Score(): Child {
  return (
    <div id="score" hidden>
      <p>
        <span id="score-of">All scored tokens</span>
        <span class="quiet">
          {" "}
          · choose a span with Shift and the arrow keys, or Shift and a click
        </span>
      </p>
      <dl class="score">
        {scores.map(({ id, title }) => (
          <div>
            <dt>{title}</dt>
            <dd id={id} />
          </div>
        ))}
      </dl>
    </div>
  );
}
