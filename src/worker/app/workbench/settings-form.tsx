// All that a Completion can be asked, beside the text: the usual fields in sight, the rare ones folded.
// `data-kind` tells the page's script how to read a field. For the Workbench, the Loom and Compare.
import type { Child } from "hono/jsx";
import { completionFields, type FieldName } from "../../../contract/completion-fields.ts";

type Kind = "number" | "flag" | "ids" | "lines" | "object";

export interface Setting {
  field: FieldName;
  label: string;
  kind: Kind;
  initial?: string | undefined;
}

/** In sight of the Workbench and of each column of Compare. */
export function usualSettings(temperature: string): readonly Setting[] {
  return [
    { field: "max_tokens", label: "Most tokens", kind: "number", initial: "64" },
    { field: "temperature", label: "Temperature", kind: "number", initial: temperature },
    { field: "top_p", label: "Top p", kind: "number" },
    { field: "seed", label: "Seed", kind: "number" },
  ];
}

interface SettingGroup {
  title: string;
  settings: readonly Setting[];
}

const rare: readonly SettingGroup[] = [
  {
    title: "How to sample",
    settings: [
      { field: "top_k", label: "Top k", kind: "number" },
      { field: "min_p", label: "Min p", kind: "number" },
      { field: "presence_penalty", label: "Presence penalty", kind: "number" },
      { field: "frequency_penalty", label: "Frequency penalty", kind: "number" },
      { field: "repetition_penalty", label: "Repetition penalty", kind: "number" },
    ],
  },
  {
    title: "When to stop",
    settings: [
      { field: "stop", label: "Stop, one a line", kind: "lines" },
      { field: "stop_token_ids", label: "Stop token ids", kind: "ids" },
      { field: "include_stop_str_in_output", label: "Keep the stop text", kind: "flag" },
      { field: "min_tokens", label: "Fewest tokens", kind: "number" },
      { field: "ignore_eos", label: "Ignore the end of text", kind: "flag" },
    ],
  },
  {
    title: "What may be said",
    settings: [
      { field: "logit_bias", label: "Logit bias, as JSON", kind: "object" },
      { field: "allowed_token_ids", label: "Allowed token ids", kind: "ids" },
      { field: "bad_words", label: "Bad words, one a line", kind: "lines" },
    ],
  },
  {
    title: "Special tokens",
    settings: [
      { field: "add_special_tokens", label: "Add special tokens", kind: "flag" },
      { field: "skip_special_tokens", label: "Leave them out of the text", kind: "flag" },
      { field: "spaces_between_special_tokens", label: "Spaces between them", kind: "flag" },
    ],
  },
];

interface SettingsFormProps {
  id: string;
  label: string;
  /** Of the fields' ids, where a page has several such forms. */
  prefix?: string;
  usual: readonly Setting[];
  /** Hidden until the page's script puts it in its place. */
  hidden?: boolean;
}

export function SettingsForm(props: SettingsFormProps): Child {
  const { id, label, prefix = "", usual, hidden } = props;
  return (
    <form id={id} class="settings" aria-label={label} hidden={hidden}>
      <SettingRow settings={usual} prefix={prefix} />
      {rare.map(({ title, settings }) => (
        <details>
          <summary>{title}</summary>
          <SettingRow settings={settings} prefix={prefix} />
        </details>
      ))}
    </form>
  );
}

function SettingRow(props: { settings: readonly Setting[]; prefix: string }): Child {
  return (
    <div class="setting-row">
      {props.settings.map((setting) => {
        const { field, label } = setting;
        // `stop` is a field, and a page has a button of that name.
        const id = `${props.prefix}field-${field}`;
        return (
          <div class="setting" title={completionFields[field].notes}>
            <label for={id}>{label}</label>
            <SettingInput id={id} {...setting} />
          </div>
        );
      })}
    </div>
  );
}

function SettingInput({ id, field, kind, initial }: Setting & { id: string }): Child {
  const common = { id, name: field, "data-kind": kind };
  if (kind === "lines") return <textarea {...common} rows={2} class="mono" />;
  if (kind === "flag") {
    return (
      <select {...common}>
        <option value="">{`${completionFields[field].default === true ? "yes" : "no"}, as usual`}</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  return (
    <input
      {...common}
      type="text"
      value={initial}
      placeholder={whenEmpty(field)}
      inputmode={kind === "number" ? "decimal" : undefined}
      autocomplete="off"
      class={kind === "object" ? "mono" : undefined}
    />
  );
}

function whenEmpty(field: FieldName): string {
  if (field === "seed") return "random";
  const initial = completionFields[field].default;
  return initial === null ? "none" : String(initial);
}
