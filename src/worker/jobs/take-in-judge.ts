// Whether the Models can serve each item of a Job, by the same rules as a live Completion. A Job's
// items mostly differ in their prompts alone, so what is left of a body is judged once.
import {
  type CompletionRequest,
  parseCompletionRequest,
  withPrompt,
} from "../../contract/completion-request.ts";
import type { CodedProblem, Problem } from "../../contract/problems.ts";
import { requestLimits } from "../../contract/request-limits.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { answerBytesBound } from "../../core/job-slices.ts";
import { countChoices, generatedTokens } from "../../core/request-size.ts";
import { noSuchModel } from "../api/models.ts";
import type { Services } from "../environment.ts";

export type Judgement =
  | { ok: true; model: string; answerBytes: number; tokens: number }
  | { ok: false; problems: readonly (Problem | CodedProblem)[] };

/** Parameters that are remembered, and how long their text may be: together a few hundred kB. */
const REMEMBERED_MOST = 64;
const REMEMBERED_MAX_CHARACTERS = 4_096;

export class ItemJudge {
  readonly #services: Pick<Services, "models">;
  /** By what a body has beside its prompt and seed. */
  readonly #judged = new Map<string, CompletionRequest>();
  #model: string | null = null;

  constructor(services: Pick<Services, "models">) {
    this.#services = services;
  }

  judge(body: unknown): Judgement {
    const parsed = this.#parse(body);
    if (!parsed.ok) return parsed;
    const { request } = parsed;
    const served = this.#services.models.get(request.model);
    if (served === undefined) {
      const { code, message } = noSuchModel(this.#services);
      return refused({ code, message, param: "model" });
    }
    this.#model ??= request.model;
    if (request.model !== this.#model) {
      const message = "`model` is another than before; a Job has one Model. Submit one for each.";
      return refused({ code: "invalid_request", param: "model", message });
    }
    if (request.stream) {
      const message = "`stream` is not accepted in a Job: its results are read as a file.";
      return refused({ code: "invalid_request", param: "stream", message });
    }
    // Where only an exact count can tell, it is told by the item's result.
    const verdict = checkAgainstModel(request, served.model);
    if (verdict.kind === "refused") return { ok: false, problems: verdict.problems };
    const answerBytes = answerBytesBound(request, served.model.vocab_size);
    const tokens = countChoices(request) * generatedTokens(request);
    return { ok: true, model: request.model, answerBytes, tokens };
  }

  #parse(body: unknown): ReturnType<typeof parseCompletionRequest> {
    if (typeof body !== "object" || body === null) return parseCompletionRequest(body);
    const { prompt, seed, ...others } = body as Record<string, unknown>;
    const parameters = JSON.stringify(others);
    const known = isSeed(seed) ? this.#judged.get(parameters) : undefined;
    const request = known === undefined ? null : withPrompt(known, prompt);
    if (request !== null) return { ok: true, request };
    const parsed = parseCompletionRequest(body);
    if (parsed.ok && parameters.length <= REMEMBERED_MAX_CHARACTERS) {
      if (this.#judged.size >= REMEMBERED_MOST) this.#judged.clear();
      this.#judged.set(parameters, parsed.request);
    }
    return parsed;
  }
}

/** No rule but its own range looks at the seed, and none does after this. */
function isSeed(seed: unknown): boolean {
  if (seed === undefined || seed === null) return true;
  return Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= requestLimits.seedMost;
}

function refused(problem: CodedProblem): Judgement {
  return { ok: false, problems: [problem] };
}
