// Generated from contents.ts by `npm run generate`: the Markdown of each page, by its name.
import explanationsNearTheEndOfYourTokens from "../../../docs/explanations/near-the-end-of-your-tokens.md";
import explanationsNoChatTemplate from "../../../docs/explanations/no-chat-template.md";
import explanationsPrivacy from "../../../docs/explanations/privacy.md";
import explanationsSpendLimit from "../../../docs/explanations/spend-limit.md";
import explanationsWarmAndColdModels from "../../../docs/explanations/warm-and-cold-models.md";
import explanationsWhatACompletionCosts from "../../../docs/explanations/what-a-completion-costs.md";
import explanationsWhatRunsInTheBackground from "../../../docs/explanations/what-runs-in-the-background.md";
import explanationsWhyRepeatsDiffer from "../../../docs/explanations/why-repeats-differ.md";
import explanationsWhyTheApiIsStrict from "../../../docs/explanations/why-the-api-is-strict.md";
import faq from "../../../docs/faq.md";
import howToAskForMoreTokens from "../../../docs/how-to/ask-for-more-tokens.md";
import howToBranchInTheLoom from "../../../docs/how-to/branch-in-the-loom.md";
import howToCompareModelsAndSettings from "../../../docs/how-to/compare-models-and-settings.md";
import howToGetLogProbabilities from "../../../docs/how-to/get-log-probabilities.md";
import howToGetTheSameTokensAgain from "../../../docs/how-to/get-the-same-tokens-again.md";
import howToGetTheWholeVocabulary from "../../../docs/how-to/get-the-whole-vocabulary.md";
import howToGetToldByWebhook from "../../../docs/how-to/get-told-by-webhook.md";
import howToHandleErrors from "../../../docs/how-to/handle-429-errors.md";
import howToLookIntoAModelWithTheWorkbench from "../../../docs/how-to/look-into-a-model-with-the-workbench.md";
import howToRevokeAKey from "../../../docs/how-to/revoke-a-key.md";
import howToRunAJob from "../../../docs/how-to/run-a-job.md";
import howToScoreText from "../../../docs/how-to/score-text.md";
import howToSendVllmFields from "../../../docs/how-to/send-vllm-fields.md";
import howToStream from "../../../docs/how-to/stream.md";
import howToUseItFromTheBrowser from "../../../docs/how-to/use-it-from-the-browser.md";
import howToUseTheOpenaiSdk from "../../../docs/how-to/use-the-openai-sdk.md";
import operateAddAModel from "../../../docs/operate/add-a-model.md";
import operateBackupsAndRecovery from "../../../docs/operate/backups-and-recovery.md";
import operateConfiguration from "../../../docs/operate/configuration.md";
import operateDeploy from "../../../docs/operate/deploy.md";
import operateIncidents from "../../../docs/operate/incidents.md";
import operateLeakedKeys from "../../../docs/operate/leaked-keys.md";
import operateRotateSecrets from "../../../docs/operate/rotate-secrets.md";
import operateRunOnYourOwnGpuMachine from "../../../docs/operate/run-on-your-own-gpu-machine.md";
import overview from "../../../docs/README.md";
import referenceErrors from "../../../docs/reference/errors.md";
import referenceFields from "../../../docs/reference/fields.md";
import referenceHeaders from "../../../docs/reference/headers.md";
import referenceJobs from "../../../docs/reference/jobs.md";
import referenceLimits from "../../../docs/reference/limits.md";
import referenceModels from "../../../docs/reference/models.md";
import referenceOpenapi from "../../../docs/reference/openapi.md";
import referenceWebhooks from "../../../docs/reference/webhooks.md";
import startGetHelp from "../../../docs/start/get-help.md";
import startQuickstart from "../../../docs/start/quickstart.md";
import startWhatABaseModelDoes from "../../../docs/start/what-a-base-model-does.md";
import startYourAccessIsPersonal from "../../../docs/start/your-access-is-personal.md";

export const texts: Readonly<Record<string, string>> = {
  README: overview,
  "start/quickstart": startQuickstart,
  "start/what-a-base-model-does": startWhatABaseModelDoes,
  "start/your-access-is-personal": startYourAccessIsPersonal,
  "start/get-help": startGetHelp,
  "how-to/use-the-openai-sdk": howToUseTheOpenaiSdk,
  "how-to/send-vllm-fields": howToSendVllmFields,
  "how-to/stream": howToStream,
  "how-to/get-log-probabilities": howToGetLogProbabilities,
  "how-to/get-the-whole-vocabulary": howToGetTheWholeVocabulary,
  "how-to/get-the-same-tokens-again": howToGetTheSameTokensAgain,
  "how-to/score-text": howToScoreText,
  "how-to/run-a-job": howToRunAJob,
  "how-to/get-told-by-webhook": howToGetToldByWebhook,
  "how-to/handle-429-errors": howToHandleErrors,
  "how-to/ask-for-more-tokens": howToAskForMoreTokens,
  "how-to/revoke-a-key": howToRevokeAKey,
  "how-to/use-it-from-the-browser": howToUseItFromTheBrowser,
  "how-to/look-into-a-model-with-the-workbench": howToLookIntoAModelWithTheWorkbench,
  "how-to/branch-in-the-loom": howToBranchInTheLoom,
  "how-to/compare-models-and-settings": howToCompareModelsAndSettings,
  "explanations/no-chat-template": explanationsNoChatTemplate,
  "explanations/why-the-api-is-strict": explanationsWhyTheApiIsStrict,
  "explanations/what-a-completion-costs": explanationsWhatACompletionCosts,
  "explanations/near-the-end-of-your-tokens": explanationsNearTheEndOfYourTokens,
  "explanations/warm-and-cold-models": explanationsWarmAndColdModels,
  "explanations/why-repeats-differ": explanationsWhyRepeatsDiffer,
  "explanations/what-runs-in-the-background": explanationsWhatRunsInTheBackground,
  "explanations/spend-limit": explanationsSpendLimit,
  "explanations/privacy": explanationsPrivacy,
  "reference/fields": referenceFields,
  "reference/errors": referenceErrors,
  "reference/headers": referenceHeaders,
  "reference/limits": referenceLimits,
  "reference/models": referenceModels,
  "reference/openapi": referenceOpenapi,
  "reference/jobs": referenceJobs,
  "reference/webhooks": referenceWebhooks,
  "operate/deploy": operateDeploy,
  "operate/add-a-model": operateAddAModel,
  "operate/run-on-your-own-gpu-machine": operateRunOnYourOwnGpuMachine,
  "operate/configuration": operateConfiguration,
  "operate/backups-and-recovery": operateBackupsAndRecovery,
  "operate/rotate-secrets": operateRotateSecrets,
  "operate/leaked-keys": operateLeakedKeys,
  "operate/incidents": operateIncidents,
  faq: faq,
};
