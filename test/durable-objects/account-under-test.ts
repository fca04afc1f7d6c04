// One person's Account in workerd, under a clock that only the test moves. The objects run in the
// isolate of the tests, so a faked clock is theirs too; alarms keep the machine's.
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type {
  AccountLimits,
  AccountRpc,
  Admission,
  AdmitRequest,
  HeldRequest,
  MintRequest,
  SettleRequest,
  TokenUsage,
} from "../../src/contract/account.ts";
import { COMMIT_AFTER_MS } from "../../src/contract/limits.ts";
import { pack, unpack } from "../../src/contract/packed.ts";
import { accountOf } from "../../src/durable-objects/objects.ts";

/** No machine's clock is there yet, so an alarm only comes where a test runs it. */
export const NOON = Date.UTC(2100, 2, 15, 12);
export const MODEL = "model";
export const KEY = "key";

export function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: NOON });
}

/** Those of an object that is gone would run in the context of whoever moves the clock next. */
export function forgetTimers(): void {
  const now = Date.now();
  vi.clearAllTimers();
  vi.setSystemTime(now);
}

type Row = Record<string, SqlStorageValue>;

export class AccountUnderTest {
  readonly name: string;

  constructor(name: string = crypto.randomUUID()) {
    this.name = name;
  }

  /** A new one for each call: a stub that saw its object crash is of no use any more. */
  get stub(): DurableObjectStub {
    return env.ACCOUNT.getByName(this.name);
  }

  get rpc(): AccountRpc {
    return accountOf(env, this.name);
  }

  /** Moves the clock, as the object sees it: its timers run in its own context. */
  async pass(ms: number): Promise<void> {
    await runInDurableObject(this.stub, async () => void (await vi.advanceTimersByTimeAsync(ms)));
  }

  /** Until everything that was to be written soon is written. */
  async written(): Promise<void> {
    await this.pass(COMMIT_AFTER_MS);
  }

  async rows(sql: string): Promise<Row[]> {
    return await runInDurableObject(this.stub, (_, { storage }) => storage.sql.exec(sql).toArray());
  }

  /** What the last commit wrote. */
  async ledgerRow(): Promise<{ block: number; holds: HeldRequest[]; rate: number }> {
    const [row] = await this.rows("SELECT block, holds, rate FROM ledger");
    if (row === undefined) throw new Error("no commit has been written");
    const holds = JSON.parse(String(row.holds)) as HeldRequest[];
    return { block: Number(row.block), holds, rate: Number(row.rate) };
  }

  /** Its memory goes as the runtime takes it from an idle object: no call is running. */
  async evict(): Promise<void> {
    await evictDurableObject(this.stub);
    forgetTimers();
  }

  /** Its memory goes at once, whatever was running or to be written. */
  async crash(): Promise<void> {
    await abortAllDurableObjects();
    forgetTimers();
  }

  async admit(
    requestId: string,
    change: Partial<AdmitRequest> = {},
    ended: readonly SettleRequest[] = [],
  ): Promise<Admission> {
    return unpack(await this.rpc.admit(pack({ request: completion(requestId, change), ended })));
  }

  /** Settles, and lets the time pass until it is durable. */
  async settle(held: HeldRequest, usage: TokenUsage): Promise<void> {
    const settled = this.rpc.settle({ ...held, usage });
    await this.rpc.snapshot();
    await this.written();
    await settled;
  }

  async tokens() {
    const snapshot = await this.rpc.snapshot();
    return snapshot?.tokens ?? null;
  }
}

/** One choice of 10 tokens after an exact prompt of 10: a Hold of 20. */
export function completion(requestId: string, change: Partial<AdmitRequest> = {}): AdmitRequest {
  return {
    ...{ requestId, keyHash: hashOf(KEY), model: MODEL, choices: 1 },
    ...{ promptTokens: 10, promptTokensExact: true, maxTokens: 10 },
    ...change,
  };
}

export function held(requestId: string, change: Partial<HeldRequest> = {}): HeldRequest {
  return { requestId, keyId: KEY, model: MODEL, held: 20, ...change };
}

export function usage(promptTokens: number, completionTokens: number): TokenUsage {
  return { promptTokens, completionTokens };
}

export function hashOf(keyId: string): string {
  return `hash of ${keyId}`;
}

export function mintRequest(keyId: string, change: Partial<MintRequest> = {}): MintRequest {
  return {
    ...{ keyId, keyHash: hashOf(keyId), start: "ctn_", name: keyId, scope: "completions" as const },
    ...{ expiresAt: null, monthlyTokenLimit: null },
    ...change,
  };
}

/** An Account with one key and, unless 0, one Grant. */
export async function openAccount(
  tokens = 1_000,
  limits: Partial<AccountLimits> = {},
): Promise<AccountUnderTest> {
  const account = new AccountUnderTest();
  await account.rpc.open({ personId: account.name, role: "member", disabled: false, limits });
  await account.rpc.mint(mintRequest(KEY));
  if (tokens > 0) await account.rpc.grant({ id: "first", tokens, note: "", expiresAt: null });
  return account;
}

/** The reason of a refusal, or what came instead. */
export function reasonOf(answer: { outcome: string; refusal?: { reason: string } }): string {
  return answer.refusal?.reason ?? answer.outcome;
}
