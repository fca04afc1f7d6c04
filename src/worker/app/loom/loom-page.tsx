// `GET /loom`: the place where the Loom's script builds itself. The server knows nothing of trees; they
// are kept in the browser, under a name that is the person's own.
import type { Context } from "hono";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Heading } from "../layout/parts.tsx";
import { NoModels } from "../member/model-states.tsx";
import { signedIn } from "../session.ts";
import { type Setting, SettingsForm } from "../workbench/settings-form.tsx";

const usual: readonly Setting[] = [
  { field: "n", label: "Branches", kind: "number", initial: "4" },
  { field: "max_tokens", label: "Tokens each", kind: "number", initial: "24" },
  { field: "temperature", label: "Temperature", kind: "number", initial: "1" },
  { field: "top_p", label: "Top p", kind: "number" },
  { field: "seed", label: "Seed", kind: "number" },
];

export function showLoom(c: Context<AppEnv>): Response | Promise<Response> {
  const { person } = signedIn(c);
  const models = [...c.get("services").models.values()].map(({ model }) => ({
    id: model.id,
    maxLogprobs: model.max_logprobs,
  }));
  return page(
    c,
    { title: "Loom", current: "loom", script: "loom.js", look: "loom.css" },
    <>
      <Heading title="Loom" />
      <p class="hint">
        A tree of texts that a Model goes on with. Trees are kept in this browser only, not in your
        Account: export what you want to keep for good. Growing uses your tokens as a script does.{" "}
        <a href="/docs/how-to/branch-in-the-loom">How it works</a>.
      </p>
      {models.length === 0 ? (
        <NoModels />
      ) : (
        <div
          id="loom"
          class="loom-place"
          data-person={person.id}
          data-models={JSON.stringify(models)}
        >
          <noscript>
            <p>The Loom needs JavaScript. The API does all that it does: see the Docs.</p>
          </noscript>
          <SettingsForm id="settings" label="Settings" usual={usual} hidden />
        </div>
      )}
    </>,
  );
}
