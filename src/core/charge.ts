// What an ended Completion costs: you pay for what you received (contract section 5, rule 5).
// No I/O, no clock.
import type { TokenUsage } from "../contract/account.ts";

export type CompletionEnd =
  /** The answer was complete; the figures are the backend's own. */
  | { how: "complete"; promptTokens: number; completionTokens: number }
  /** It broke off. `completionTokens` were delivered; `promptTokens` is null where nobody said. */
  | {
      how: "client_left" | "backend_failed" | "cut";
      promptTokens: number | null;
      completionTokens: number;
    };

export type Charge =
  | { kind: "usage"; usage: TokenUsage }
  /** The prompts are owed, but their tokens have to be counted first. */
  | { kind: "count_prompts"; completionTokens: number };

const NOTHING: Charge = { kind: "usage", usage: { promptTokens: 0, completionTokens: 0 } };

/** A plain answer arrives whole or not at all, so what of it was generated is not owed. */
export function chargeFor(end: CompletionEnd, stream: boolean): Charge {
  switch (end.how) {
    case "complete":
      return owed(end.promptTokens, end.completionTokens);
    case "client_left":
      return owed(end.promptTokens, stream ? end.completionTokens : 0);
    case "cut":
    case "backend_failed":
      return stream && end.completionTokens > 0
        ? owed(end.promptTokens, end.completionTokens)
        : NOTHING;
  }
}

function owed(promptTokens: number | null, completionTokens: number): Charge {
  return promptTokens === null
    ? { kind: "count_prompts", completionTokens }
    : { kind: "usage", usage: { promptTokens, completionTokens } };
}
