// A Job as the API shows it: snake case, times in seconds since 1970, as OpenAI's objects have them.
import type { JobPause, JobRecord } from "../../../contract/jobs.ts";

export function presentJob(record: JobRecord) {
  const { id, name, model, state, pause, counts, etaSeconds } = record;
  const usage = presentUsage(record);
  return {
    ...{ id, object: "job", name, model, state },
    pause: pause === null ? null : presentPause(pause, model),
    progress: {
      total: counts.total,
      succeeded: counts.succeeded,
      failed: counts.failed,
      tokens: usage.total_tokens,
      eta_seconds: etaSeconds,
    },
    usage,
    errors: record.errors.map(({ code, message, count, customId }) => {
      return { code, message, count, custom_id: customId };
    }),
    failure: record.failure,
    created_at: seconds(record.createdAt),
    started_at: seconds(record.startedAt),
    cancelled_at: seconds(record.cancelledAt),
    ended_at: seconds(record.endedAt),
    removed_at: seconds(record.removedAt),
  };
}

/** Whole seconds, as all of OpenAI's times are. */
export function seconds<T extends number | null>(ms: T): T | number {
  return ms === null ? ms : Math.floor(ms / 1_000);
}

function presentUsage({ usage: { promptTokens, completionTokens } }: JobRecord) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function presentPause(pause: JobPause, model: string) {
  const { reason, since, budget } = pause;
  const message = pauseMessage(pause, model);
  return { reason, message, since: seconds(since), ...(budget !== null && { budget }) };
}

/** What the Job waits for, and what somebody can do. */
function pauseMessage({ reason, budget, scope }: JobPause, model: string): string {
  switch (reason) {
    case "budget_exceeded": {
      const whose = scope === "key" ? "The key's monthly limit leaves" : "You have";
      const figures =
        budget === null
          ? ""
          : `: available ${budget.available}, and the next item needs ${budget.needed}`;
      const remedy =
        scope === "key" ? "Raise the limit, or wait for the next month" : "Ask for more tokens";
      return `${whose} too few tokens${figures}. ${remedy}; the Job then goes on by itself.`;
    }
    case "spend_cap":
      return "The Spend limit is reached, so new GPU work is paused. The Job goes on by itself when an Admin raises it, or with the next month.";
    case "model_starting":
      return `${model} is starting. The Job goes on by itself when it is warm.`;
  }
}
