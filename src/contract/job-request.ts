// What a Job is submitted as: a line of OpenAI's batches, or a JSON body that has prompts or
// completions. What stands inside of a completion's body is read by completion-request.ts, as live.
import { completionFields } from "./completion-fields.ts";
import { didYouMean } from "./did-you-mean.ts";
import { CUSTOM_ID_MAX_CHARACTERS, JOB_ITEMS_MOST } from "./job-limits.ts";
import { NAME_MAX_CHARACTERS } from "./limits.ts";
import { describeValue, type Problem } from "./problems.ts";
import { requestLimits } from "./request-limits.ts";

type Given = Partial<Record<string, unknown>>;

/** One completion of a Job, with its body as it was sent. */
interface JobItem {
  customId: string;
  body: unknown;
}

export type ParsedItem = { ok: true; item: JobItem } | { ok: false; problems: Problem[] };

export type JobBody =
  | { kind: "prompts"; name: string | null; model: unknown; params: Given; prompts: unknown[] }
  | { kind: "completions"; name: string | null; completions: unknown[] };

export type ParsedJob = { ok: true; job: JobBody } | { ok: false; problems: Problem[] };

/** What every item is sent to, the one route there is. */
export const JOB_ENDPOINT = "/v1/completions";

const itemFields = ["custom_id", "method", "url", "body"];
const jobFields = ["name", "model", "params", "prompts", "completions"];

/** `{"custom_id", "method", "url", "body"}`; `method` and `url` may be left out. */
export function parseJobItem(value: unknown): ParsedItem {
  if (!isObject(value)) {
    const message = `It must be a JSON object with custom_id and body, not ${describeItem(value)}.`;
    return { ok: false, problems: [{ param: null, message }] };
  }
  const problems = unknownFields(value, itemFields, "body");
  const { custom_id: customId, body } = value;
  const method = value.method ?? "POST";
  const url = value.url ?? JOB_ENDPOINT;
  if (!isCustomId(customId)) {
    const message = `\`custom_id\` must be a string of 1 to ${CUSTOM_ID_MAX_CHARACTERS} characters, by which you find the result.`;
    problems.push({ param: "custom_id", message });
  }
  if (method !== "POST") problems.push({ param: "method", message: '`method` must be "POST".' });
  if (url !== JOB_ENDPOINT) {
    const message = `\`url\` must be "${JOB_ENDPOINT}": nothing else is served.`;
    problems.push({ param: "url", message });
  }
  if (body === undefined) {
    problems.push({ param: "body", message: "`body` is required: the completion's fields." });
  }
  return problems.length === 0 && isCustomId(customId)
    ? { ok: true, item: { customId, body } }
    : { ok: false, problems };
}

/** `{name?, model, params?, prompts}` or `{name?, completions}`; what its items are is not looked at. */
export function parseJobBody(value: unknown): ParsedJob {
  if (!isObject(value)) {
    const message = `The body must be a JSON object, not ${describeItem(value)}.`;
    return { ok: false, problems: [{ param: null, message }] };
  }
  const problems = unknownFields(value, jobFields, "params");
  const { completions, prompts } = value;
  const name = value.name ?? null;
  if (!isJobName(name)) {
    const message = `\`name\` must be a string of 1 to ${NAME_MAX_CHARACTERS} characters.`;
    problems.push({ param: "name", message });
  }
  if ((completions === undefined) === (prompts === undefined)) {
    const message =
      "A Job has either `prompts`, with `model` and `params` for all of them, or `completions`, each with `custom_id` and `body`.";
    problems.push({ param: prompts === undefined ? "prompts" : "completions", message });
  } else if (prompts === undefined) {
    problems.push(...listProblems("completions", completions), ...ofPromptsOnly(value));
  } else {
    problems.push(...listProblems("prompts", prompts), ...paramsProblems(value.params));
  }
  if (problems.length > 0 || !isJobName(name)) return { ok: false, problems };
  if (Array.isArray(completions))
    return { ok: true, job: { kind: "completions", name, completions } };
  const params = (value.params ?? {}) as Given;
  const { model } = value;
  return {
    ok: true,
    job: { kind: "prompts", name, model, params, prompts: prompts as unknown[] },
  };
}

export function isJobName(name: unknown): name is string | null {
  return (
    name === null || (typeof name === "string" && name !== "" && name.length <= NAME_MAX_CHARACTERS)
  );
}

function isObject(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCustomId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= CUSTOM_ID_MAX_CHARACTERS;
}

/** A value in the wrong place may be a prompt: not even a number of it is repeated. */
function describeItem(value: unknown): string {
  return typeof value === "number" ? "a number" : describeValue(value);
}

/** `inner` is where the fields of a completion stand. */
function unknownFields(value: Given, known: readonly string[], inner: string): Problem[] {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  return unknown.slice(0, requestLimits.namedUnknownFields).map((name) => {
    // A longer or stranger name may be prompt text in the wrong place.
    const repeatable =
      name.length <= requestLimits.fieldNameCharacters && /^[A-Za-z_][\w.-]*$/.test(name);
    if (!repeatable) return { param: null, message: "A field is unknown, not repeated here." };
    const ofCompletion = Object.hasOwn(completionFields, name)
      ? `it goes into \`${inner}\`.`
      : null;
    const hint = didYouMean(name, known) ?? ofCompletion;
    return {
      param: name,
      message: `\`${name}\` is not a field${hint === null ? "." : `; ${hint}`}`,
    };
  });
}

function listProblems(param: string, list: unknown): Problem[] {
  if (!Array.isArray(list) || list.length === 0) {
    const message = `\`${param}\` must be a list of 1 to ${JOB_ITEMS_MOST}, not ${describeItem(list)}.`;
    return [{ param, message }];
  }
  if (list.length <= JOB_ITEMS_MOST) return [];
  const message = `\`${param}\` has ${list.length}; a Job has at most ${JOB_ITEMS_MOST}. Submit several.`;
  return [{ param, message }];
}

function ofPromptsOnly(value: Given): Problem[] {
  return ["model", "params"]
    .filter((param) => value[param] !== undefined)
    .map((param) => {
      const message = `\`${param}\` goes with \`prompts\`; with \`completions\` each body has its own.`;
      return { param, message };
    });
}

function paramsProblems(params: unknown): Problem[] {
  if (params === undefined || params === null) return [];
  if (!isObject(params)) {
    const message = `\`params\` must be an object of a completion's fields, not ${describeItem(params)}.`;
    return [{ param: "params", message }];
  }
  return ["model", "prompt"]
    .filter((name) => params[name] !== undefined)
    .map((name) => {
      const instead = name === "model" ? "stands beside `params`" : "is each of `prompts`";
      return { param: `params.${name}`, message: `\`${name}\` ${instead}, not in it.` };
    });
}
