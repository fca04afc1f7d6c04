import type { Child } from "hono/jsx";
import { SettingsForm, usualSettings } from "../workbench/settings-form.tsx";

interface CompareColumnProps {
  name: string;
  models: readonly string[];
  /** Which of them it begins with. */
  model: string;
  temperature: string;
  hidden: boolean;
}

/** Its elements are found by its name and what they are. */
export function CompareColumn(props: CompareColumnProps): Child {
  const { name, models, model, temperature, hidden } = props;
  const title = `${name}-title`;
  return (
    <section
      id={`${name}-column`}
      class="compare-column block"
      aria-labelledby={title}
      tabindex={-1}
      hidden={hidden}
    >
      <div class="write-head">
        <h2 id={title}>Column {name}</h2>
        <span class="inline">
          <label for={`${name}-model`}>Model</label>
          <select id={`${name}-model`}>
            {models.map((id) => (
              <option value={id} selected={id === model}>
                {id}
              </option>
            ))}
          </select>
        </span>
        {/* Above the text, where they stay while it grows. */}
        <span class="actions">
          <button type="button" class="plain" id={`${name}-stop`} disabled>
            Stop {name}
          </button>
          <button type="button" class="plain" id={`${name}-remove`} aria-describedby={title}>
            Remove
          </button>
        </span>
      </div>
      <SettingsForm
        id={`${name}-settings`}
        label={`Settings of column ${name}`}
        prefix={`${name}-`}
        usual={usualSettings(temperature)}
      />
      <p id={`${name}-status`} role="status" class="quiet compare-status" />
      <p id={`${name}-problem`} class="notice notice-problem" role="alert" hidden />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div id={`${name}-text`} class="model-text" role="group" aria-label={`What ${name} writes`} />
      <p id={`${name}-parting`} role="status" class="compare-status" />
      <p id={`${name}-pointed`} class="pointed quiet mono">
        Point at a token to see its numbers.
      </p>
      <div id={`${name}-token`} class="block" hidden>
        <p id={`${name}-token-says`} />
        <ol
          id={`${name}-alternatives`}
          class="alternatives"
          aria-label={`Alternatives in ${name}`}
        />
      </div>
      <Facts name={name} />
    </section>
  );
}

const facts = [
  { part: "tokens", title: "tokens" },
  { part: "bits", title: "bits a token" },
  { part: "perplexity", title: "perplexity" },
  { part: "reason", title: "finish reason" },
  { part: "seed-used", title: "seed" },
] as const;

function Facts({ name }: { name: string }): Child {
  return (
    <>
      <dl class="score">
        {facts.map(({ part, title }) => (
          <div>
            <dt>{title}</dt>
            <dd id={`${name}-${part}`}>–</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="plain" id={`${name}-pin`} hidden>
        Pin the seed of {name}
      </button>
    </>
  );
}
