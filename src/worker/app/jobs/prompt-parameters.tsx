// The parameters that the form for prompts has fields for: what a person typed, as the API takes it.
import type { Child } from "hono/jsx";
import { completionFields } from "../../../contract/completion-fields.ts";
import type { FormState } from "../layout/fields.tsx";
import { TextField } from "../layout/fields.tsx";
import type { FormValues } from "../read-form.ts";

const numbers = [
  { field: "max_tokens", label: "Most tokens of each" },
  { field: "temperature", label: "Temperature" },
  { field: "top_p", label: "Top p" },
  { field: "n", label: "Choices of each" },
  { field: "logprobs", label: "Log-probabilities" },
  { field: "seed", label: "Seed" },
] as const;

const STOP = "stop";

/** As the API calls it; a refusal that names one is told beside its field. */
export const parameterFields: readonly string[] = [...numbers.map(({ field }) => field), STOP];

export type ReadParameters =
  | { ok: true; params: Record<string, unknown> }
  | { ok: false; errors: Record<string, string> };

/** An empty field is left out, so that the API's default holds. What is in range the API judges. */
export function readParameters(values: FormValues): ReadParameters {
  const params: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const { field } of numbers) {
    const text = (values[field] ?? "").trim().replaceAll(/[\s,_]/g, "");
    if (text === "") continue;
    const value = Number(text);
    if (Number.isFinite(value)) params[field] = value;
    else errors[field] = "Write a number, such as 1 or 0.7.";
  }
  const stop = values[STOP] ?? "";
  if (stop !== "") params[STOP] = unescaped(stop);
  return Object.keys(errors).length === 0 ? { ok: true, params } : { ok: false, errors };
}

/** A field of a form has no way to hold a line's end. */
function unescaped(text: string): string {
  const characters: Record<string, string> = { n: "\n", t: "\t", "\\": "\\" };
  return text.replaceAll(/\\([nt\\])/g, (_, letter: string) => characters[letter] ?? letter);
}

export function ParameterFields({ form }: { form: FormState }): Child {
  return (
    <fieldset class="parameters">
      <legend>Parameters of each completion</legend>
      {numbers.map(({ field, label }) => (
        <TextField
          field={field}
          label={label}
          form={form}
          hint={whenEmpty(field)}
          inputmode="decimal"
          autocomplete="off"
        />
      ))}
      <div class="whole-row">
        <TextField
          field={STOP}
          label="Stop"
          form={form}
          hint="A completion ends where its text has this. \n is a line's end."
          autocomplete="off"
        />
      </div>
    </fieldset>
  );
}

function whenEmpty(field: (typeof numbers)[number]["field"]): string {
  const initial = completionFields[field].default;
  if (field === "seed") return "Empty: random.";
  return initial === null ? "Empty: none." : `Empty: ${initial}.`;
}
