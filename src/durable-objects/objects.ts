// The way to the objects: which one, and as what.
import type { AccountRpc } from "../contract/account.ts";
import type { DirectoryRpc } from "../contract/directory.ts";
import type { DispatcherRpc, JobTurn } from "../contract/dispatcher.ts";
import type { InferenceRpc } from "../contract/inference.ts";
import type { JobListRpc } from "../contract/job-list.ts";
import type { JobRpc } from "../contract/jobs.ts";
import type { WebhooksRpc } from "../contract/outgoing-webhooks.ts";
import type { SpendLimitRpc } from "../contract/spend.ts";

export interface ObjectBindings {
  ACCOUNT: DurableObjectNamespace;
  DIRECTORY: DurableObjectNamespace;
  INFERENCE: DurableObjectNamespace;
  SPEND_LIMIT: DurableObjectNamespace;
  JOB: DurableObjectNamespace;
  DISPATCHER: DurableObjectNamespace;
  JOB_LIST: DurableObjectNamespace;
  WEBHOOKS: DurableObjectNamespace;
  JOB_STORE: R2Bucket;
  JOB_TURNS: Queue<JobTurn>;
}

/** The one object that knows this person's keys and tokens. */
export function accountOf(env: ObjectBindings, accountId: string): AccountRpc {
  return stub<AccountRpc>(env.ACCOUNT, accountId);
}

/**
 * The same object through one stub for the calls of one request. A stub whose call failed may be
 * broken for good, so a repeated call asks for a fresh one.
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
export function accountLink(env: ObjectBindings, accountId: string): AccountLink {
  let current = accountOf(env, accountId);
  return (fresh = false) => {
    if (fresh) current = accountOf(env, accountId);
    return current;
  };
}

export type AccountLink = (fresh?: boolean) => AccountRpc;

export function directoryOf(env: ObjectBindings): DirectoryRpc {
  return stub<DirectoryRpc>(env.DIRECTORY, "directory");
}

/** The one object that starts and meters this Model's containers. */
export function inferenceOf(env: ObjectBindings, modelId: string): InferenceRpc {
  return stub<InferenceRpc>(env.INFERENCE, modelId);
}

export function spendLimitOf(env: ObjectBindings): SpendLimitRpc {
  return stub<SpendLimitRpc>(env.SPEND_LIMIT, "spend-limit");
}

/** The one object that is the truth about this Job. */
export function jobOf(env: ObjectBindings, jobId: string): JobRpc {
  return stub<JobRpc>(env.JOB, jobId);
}

/** The one object that hands out this Model's turns. */
export function dispatcherOf(env: ObjectBindings, modelId: string): DispatcherRpc {
  return stub<DispatcherRpc>(env.DISPATCHER, modelId);
}

/** The list of one person's Jobs and files. */
export function jobListOf(env: ObjectBindings, personId: string): JobListRpc {
  return stub<JobListRpc>(env.JOB_LIST, personId);
}

/** What tells this person of events, at endpoints of theirs. */
export function webhooksOf(env: ObjectBindings, personId: string): WebhooksRpc {
  return stub<WebhooksRpc>(env.WEBHOOKS, personId);
}

/**
 * Whether a call failed because its object was starting again, so that it may be repeated.
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
export function isRestart(failure: unknown): boolean {
  const { retryable, overloaded, durableObjectReset } = failure as {
    [property in "retryable" | "overloaded" | "durableObjectReset"]?: boolean;
  };
  return overloaded !== true && (retryable === true || durableObjectReset === true);
}

/** The runtime's stub answers every method of the class by RPC; the contract says which those are. */
function stub<Rpc>(namespace: DurableObjectNamespace, name: string): Rpc {
  return namespace.get(namespace.idFromName(name)) as unknown as Rpc;
}
