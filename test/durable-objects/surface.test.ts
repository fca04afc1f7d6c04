// Whatever a class names without `#` can be called by anyone who holds its stub.
import { describe, expect, test } from "vitest";
import type { AccountRpc } from "../../src/contract/account.ts";
import type { DirectoryRpc } from "../../src/contract/directory.ts";
import type { JobListRpc } from "../../src/contract/job-list.ts";
import type { JobRpc } from "../../src/contract/jobs.ts";
import type { WebhooksRpc } from "../../src/contract/outgoing-webhooks.ts";
import type { SpendLimitRpc } from "../../src/contract/spend.ts";
import { Account } from "../../src/durable-objects/account/account.ts";
import { Directory } from "../../src/durable-objects/directory/directory.ts";
import { Job } from "../../src/durable-objects/job/job.ts";
import { JobList } from "../../src/durable-objects/job-list/job-list.ts";
import { SpendLimit } from "../../src/durable-objects/spend-limit/spend-limit.ts";
import { Webhooks } from "../../src/durable-objects/webhooks/webhooks.ts";

const accountRpc: Record<keyof AccountRpc, true> = {
  ...{ open: true, change: true, snapshot: true, identify: true, admit: true, renew: true },
  ...{ settle: true, leave: true, mint: true, changeKey: true, revoke: true, keys: true },
  ...{ grant: true, grants: true, usage: true, keyByHash: true, keyHashes: true },
  ...{ admitSlice: true, renewSlice: true, settleSlices: true, forgetSlices: true },
  ...{ dropSlice: true, addAppKey: true, endAppKeys: true, revokeAppKey: true },
};

const directoryRpc: Record<keyof DirectoryRpc, true> = {
  ...{ addPerson: true, changePerson: true, person: true, people: true, invite: true },
  peopleByIds: true,
  ...{ signIn: true, session: true, sessions: true, endSession: true },
  ...{ askForTokens: true, withdrawTokenRequest: true, tokenRequest: true, tokenRequests: true },
  ...{ openTokenRequests: true, decideTokenRequest: true, granted: true },
  ...{ rollUp: true, rollUps: true },
  ...{ audit: true, record: true, recorded: true, personOfSubject: true },
  ...{ indexKeys: true, ownerOfHash: true, received: true, keepReceived: true },
  ...{ tellOfKey: true, keyNotices: true, dismissKeyNotice: true },
};

const jobRpc: Record<keyof JobRpc, true> = {
  ...{ create: true, record: true, claim: true, renew: true, commit: true, giveBack: true },
  ...{ modelWaits: true, tokensChanged: true, cancel: true, parts: true, remove: true },
};

const jobListRpc: Record<keyof JobListRpc, true> = {
  ...{ put: true, drop: true, jobs: true, unended: true, tokensChanged: true, cancelAll: true },
  ...{ putFile: true, file: true, files: true, removeFile: true },
  ...{ savedPrompts: true, savedPrompt: true, savePrompt: true, removePrompt: true },
};

const spendLimitRpc: Record<keyof SpendLimitRpc, true> = {
  tick: true,
  verdict: true,
  overview: true,
  change: true,
};

const webhooksRpc: Record<keyof WebhooksRpc, true> = {
  ...{ emit: true, endpoints: true, add: true, rotate: true, switchOn: true, remove: true },
  ...{ sendTest: true, deliveries: true, delivery: true, replay: true, setSilent: true },
};

describe("what can be called from outside", () => {
  test.each([
    ["an Account", Account, [...Object.keys(accountRpc), "alarm"]],
    ["the Directory", Directory, [...Object.keys(directoryRpc), "alarm"]],
    ["a Job", Job, [...Object.keys(jobRpc), "alarm"]],
    ["a JobList", JobList, [...Object.keys(jobListRpc), "alarm"]],
    ["a person's Webhooks", Webhooks, [...Object.keys(webhooksRpc), "alarm"]],
    ["the SpendLimit", SpendLimit, [...Object.keys(spendLimitRpc), "alarm"]],
  ])("of %s is what its contract names", (_, { prototype }, named) => {
    const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
    expect(methods.sort()).toEqual(named.sort());
  });
});
