// Whether the Models can serve each item of a Job, by the same rules as a live Completion.
import type { CodedProblem, Problem } from "../../contract/problems.ts";
import { checkAgainstModel } from "../../core/completion-rules.ts";
import { answerBytesBound } from "../../core/job-slices.ts";
import { countChoices, generatedTokens } from "../../core/request-size.ts";
import { noSuchModel } from "../api/models.ts";
import type { Services } from "../environment.ts";
import { ItemParser } from "./parse-item.ts";

export type Judgement =
  | { ok: true; model: string; answerBytes: number; tokens: number }
  | { ok: false; problems: readonly (Problem | CodedProblem)[] };

export class ItemJudge {
  readonly #services: Pick<Services, "models">;
  readonly #parser = new ItemParser();
  #model: string | null = null;

  constructor(services: Pick<Services, "models">) {
    this.#services = services;
  }

  judge(body: unknown): Judgement {
    const parsed = this.#parser.parse(body);
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
}

function refused(problem: CodedProblem): Judgement {
  return { ok: false, problems: [problem] };
}
