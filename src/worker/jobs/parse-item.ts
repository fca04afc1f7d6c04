// From an item's body to its request. A Job's items mostly differ in prompt and seed alone, so what is
// left of a body is parsed once.
import {
  type CompletionRequest,
  type ParsedCompletion,
  parseCompletionRequest,
  withPrompt,
} from "../../contract/completion-request.ts";
import { requestLimits } from "../../contract/request-limits.ts";

/** Parameters that are remembered, and how long their text may be: together a few hundred kB. */
const REMEMBERED_MOST = 64;
const REMEMBERED_MAX_CHARACTERS = 4_096;

export class ItemParser {
  /** By what a body has beside its prompt and seed. */
  readonly #known = new Map<string, CompletionRequest>();

  parse(body: unknown): ParsedCompletion {
    if (typeof body !== "object" || body === null) return parseCompletionRequest(body);
    const { prompt, seed, ...others } = body as Record<string, unknown>;
    const parameters = JSON.stringify(others);
    const known = this.#known.get(parameters);
    if (known !== undefined && isSeed(seed)) {
      const request = withPrompt(known, prompt);
      if (request !== null) return { ok: true, request: { ...request, seed: seed ?? undefined } };
    }
    const parsed = parseCompletionRequest(body);
    if (parsed.ok && parameters.length <= REMEMBERED_MAX_CHARACTERS) {
      if (this.#known.size >= REMEMBERED_MOST) this.#known.clear();
      this.#known.set(parameters, parsed.request);
    }
    return parsed;
  }
}

/** No rule but its own range looks at the seed. */
function isSeed(seed: unknown): seed is number | null | undefined {
  if (seed === undefined || seed === null) return true;
  return Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= requestLimits.seedMost;
}
