// What there is to read, in the order in which it is shown. `npm run generate` makes the overview
// (docs/README.md) and the imports of the texts (texts.ts) from it. Pure.

export interface DocsSection {
  readonly title: string;
  /** Files below docs/, without `.md`; so is their address below /docs/. */
  readonly pages: readonly string[];
}

/** The overview, which is no page of a section. */
export const OVERVIEW = "README";

export const contents: readonly DocsSection[] = [
  {
    title: "Start",
    pages: [
      "start/quickstart",
      "start/what-a-base-model-does",
      "start/your-access-is-personal",
      "start/get-help",
    ],
  },
  {
    title: "How-to",
    pages: [
      "how-to/use-the-openai-sdk",
      "how-to/send-vllm-fields",
      "how-to/stream",
      "how-to/get-log-probabilities",
      "how-to/get-the-whole-vocabulary",
      "how-to/get-the-same-tokens-again",
      "how-to/score-text",
      "how-to/run-a-job",
      "how-to/get-told-by-webhook",
      "how-to/handle-429-errors",
      "how-to/ask-for-more-tokens",
      "how-to/revoke-a-key",
      "how-to/use-it-from-the-browser",
      "how-to/look-into-a-model-with-the-workbench",
      "how-to/branch-in-the-loom",
      "how-to/compare-models-and-settings",
    ],
  },
  {
    title: "Explanations",
    pages: [
      "explanations/no-chat-template",
      "explanations/why-the-api-is-strict",
      "explanations/what-a-completion-costs",
      "explanations/near-the-end-of-your-tokens",
      "explanations/warm-and-cold-models",
      "explanations/why-repeats-differ",
      "explanations/what-runs-in-the-background",
      "explanations/spend-limit",
      "explanations/privacy",
    ],
  },
  {
    title: "Reference",
    pages: [
      "reference/fields",
      "reference/errors",
      "reference/headers",
      "reference/limits",
      "reference/models",
      "reference/openapi",
      "reference/jobs",
      "reference/webhooks",
    ],
  },
  {
    title: "For operators",
    pages: [
      "operate/deploy",
      "operate/add-a-model",
      "operate/run-on-your-own-gpu-machine",
      "operate/configuration",
      "operate/backups-and-recovery",
      "operate/rotate-secrets",
      "operate/leaked-keys",
      "operate/incidents",
    ],
  },
  { title: "FAQ", pages: ["faq"] },
];
