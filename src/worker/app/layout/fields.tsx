// Form fields: a label, what it means, and what was wrong with it, bound together for screen readers.
import type { Child } from "hono/jsx";

/** What a person sent, and what is wrong with it by field name. */
export interface FormState {
  values: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
}

export const emptyForm: FormState = { values: {}, errors: {} };

interface FieldProps {
  /** The form's field, and the id of its input. */
  field: string;
  /** Begins the ids, where several forms of one page have such a field. */
  within?: string | undefined;
  label: string;
  form?: FormState;
  hint?: Child;
  required?: boolean;
  /** Shown when the person has sent nothing yet. */
  initial?: string;
}

interface TextFieldProps extends FieldProps {
  type?: "text" | "email" | "date" | "search";
  inputmode?: "numeric" | "decimal" | "text" | "url";
  maxlength?: number;
  min?: string;
  max?: string;
  autocomplete?: string;
  pattern?: string;
}

export function TextField(props: TextFieldProps): Child {
  const { field, within, label, form = emptyForm, hint, required, initial, type, ...rest } = props;
  const id = idOf(props);
  return (
    <Field id={id} field={field} label={label} form={form} hint={hint} required={required}>
      <input
        id={id}
        name={field}
        type={type ?? "text"}
        value={form.values[field] ?? initial ?? ""}
        required={required}
        {...described(id, field, form, hint)}
        {...rest}
      />
    </Field>
  );
}

interface TextAreaProps extends FieldProps {
  rows?: number;
  maxlength?: number;
  /** For text of Models, which is seen character by character. */
  mono?: boolean;
}

export function TextArea(props: TextAreaProps): Child {
  const { field, label, form = emptyForm, hint, required, initial, rows = 4, maxlength } = props;
  const id = idOf(props);
  return (
    <Field id={id} field={field} label={label} form={form} hint={hint} required={required}>
      <textarea
        id={id}
        name={field}
        rows={rows}
        class={props.mono ? "mono" : undefined}
        maxlength={maxlength}
        required={required}
        {...described(id, field, form, hint)}
      >
        {form.values[field] ?? initial ?? ""}
      </textarea>
    </Field>
  );
}

/** The browser keeps a chosen file only while the page stands. */
export function FileField(props: FieldProps & { accept: string }): Child {
  const { field, label, form = emptyForm, hint, required, accept } = props;
  const id = idOf(props);
  return (
    <Field id={id} field={field} label={label} form={form} hint={hint} required={required}>
      <input
        id={id}
        name={field}
        type="file"
        accept={accept}
        required={required}
        {...described(id, field, form, hint)}
      />
    </Field>
  );
}

export function Choose(
  props: FieldProps & { options: readonly { value: string; label: string }[] },
): Child {
  const { field, label, form = emptyForm, hint, required, initial, options } = props;
  const chosen = form.values[field] ?? initial;
  const id = idOf(props);
  return (
    <Field id={id} field={field} label={label} form={form} hint={hint} required={required}>
      <select id={id} name={field} required={required} {...described(id, field, form, hint)}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === chosen}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function idOf({ within, field }: FieldProps): string {
  return within === undefined ? field : `${within}-${field}`;
}

function Field(props: {
  id: string;
  field: string;
  label: string;
  form: FormState;
  hint: Child;
  required: boolean | undefined;
  children?: Child;
}): Child {
  const { id, field, label, form, hint, required, children } = props;
  const error = form.errors[field];
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required ? null : <span class="quiet"> (optional)</span>}
      </label>
      {children}
      {error === undefined ? null : (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function described(id: string, field: string, form: FormState, hint: Child) {
  const wrong = form.errors[field] !== undefined;
  const ids = [wrong && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    ...(ids.length > 0 && { "aria-describedby": ids.join(" ") }),
    ...(wrong && { "aria-invalid": "true" as const }),
  };
}
