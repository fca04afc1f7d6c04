// A person of a test's own: made through the admin API, calling with a key of theirs.
import OpenAI, { type ClientOptions } from "openai";
import type { Stack } from "./stack-process.ts";
import { until } from "./until.ts";

export interface Tokens {
  granted: number;
  spent: number;
  held: number;
  available: number;
}

export interface ApiError {
  message: string;
  type: string;
  param: string | null;
  code: string;
  budget?: Tokens & { needed: number };
}

export interface MintedKey {
  id: string;
  key: string;
  start: string;
}

export interface UsageList {
  totals: { requests: number; prompt_tokens: number; completion_tokens: number };
  data: { total_tokens: number; requests: number; key: { id: string } }[];
}

/** What the admin API says of one person. */
export interface PersonRecord {
  disabled: boolean;
  tokens: Tokens;
  running: number;
  waiting: number;
  unreported: { requests: number; at_most_tokens: number; unclaimed_tokens: number };
  overrun_tokens: number;
  grants: { id: string; tokens: number }[];
  usage: UsageList;
}

interface PersonOptions {
  tokens?: number;
  limits?: { running?: number; waiting?: number; starts_per_minute?: number };
  role?: "member" | "admin";
}

/** Wide enough that only a test of the limits meets them. */
const WIDE_LIMITS = { running: 256, waiting: 256, starts_per_minute: 100_000 };

let made = 0;

export class Person {
  readonly stack: Stack;
  readonly id: string;
  readonly key: string;
  readonly keyId: string;

  constructor(stack: Stack, id: string, minted: MintedKey) {
    this.stack = stack;
    this.id = id;
    this.key = minted.key;
    this.keyId = minted.id;
  }

  /** A raw call of the API, with nothing between. */
  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return callApi(this.stack, this.key, { method, path, body, headers });
  }

  complete(body: object, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.stack.api}/completions`, {
      ...init,
      method: "POST",
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "local", ...body }),
    });
  }

  sdk(options: ClientOptions = {}): OpenAI {
    return new OpenAI({ baseURL: this.stack.api, apiKey: this.key, maxRetries: 0, ...options });
  }

  async tokens(): Promise<Tokens> {
    const { tokens } = await this.#read<{ tokens: Tokens }>("/account");
    return tokens;
  }

  /** The tokens once nothing of this person runs any more. */
  settled(): Promise<Tokens> {
    return until(
      "the end of all Holds",
      () => this.tokens(),
      ({ held }) => held === 0,
    );
  }

  usage(): Promise<UsageList> {
    return this.#read("/usage");
  }

  record(): Promise<PersonRecord> {
    return admin(this.stack, "GET", `/people/${this.id}`);
  }

  change(change: object): Promise<unknown> {
    return admin(this.stack, "PATCH", `/people/${this.id}`, change);
  }

  grant(tokens: number, id?: string): Promise<{ id: string }> {
    return admin(this.stack, "POST", `/people/${this.id}/grants`, { tokens, id });
  }

  mint(options: object = {}): Promise<MintedKey> {
    return admin(this.stack, "POST", `/people/${this.id}/keys`, { name: "another", ...options });
  }

  /** The same person with another of their keys. */
  with(minted: MintedKey): Person {
    return new Person(this.stack, this.id, minted);
  }

  revoke(reason: string): Promise<unknown> {
    return admin(this.stack, "POST", `/keys/${this.keyId}/revoke`, { reason });
  }

  async #read<T>(path: string): Promise<T> {
    const response = await this.call("GET", `/v1${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

export async function newPerson(stack: Stack, options: PersonOptions = {}): Promise<Person> {
  const { tokens = 1_000_000, limits, role = "member" } = options;
  made += 1;
  const email = `person-${process.pid}-${Date.now()}-${made}@example.org`;
  const { id } = await admin<{ id: string }>(stack, "POST", "/people", { email, role });
  if (tokens > 0) await admin(stack, "POST", `/people/${id}/grants`, { tokens });
  await admin(stack, "PATCH", `/people/${id}`, { limits: { ...WIDE_LIMITS, ...limits } });
  const scope = role === "admin" ? "admin" : "completions";
  const key = await admin<MintedKey>(stack, "POST", `/people/${id}/keys`, { name: "k", scope });
  return new Person(stack, id, key);
}

/** A call of the admin API that must succeed. */
export async function admin<T>(
  stack: Stack,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const call = { method, path: `/v1/admin${path}`, body };
  const response = await callApi(stack, stack.operatorKey, call);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export function callApi(
  stack: Stack,
  key: string | null,
  call: { method: string; path: string; body?: unknown; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(stack.app + call.path, {
    method: call.method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(call.body !== undefined && { "content-type": "application/json" }),
      ...call.headers,
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  });
}

/** The error of a refusal, whose shape must be the contract's. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = JSON.parse(await response.text()) as { error: ApiError };
  return checkedError(body);
}

/** Throws unless it has the shape of the contract's section 4, and no member beside. */
export function checkedError(body: { error: ApiError }): ApiError {
  const { message, type, param, code, budget, ...others } = body.error;
  const right =
    Object.keys(body).length === 1 &&
    Object.keys(others).length === 0 &&
    typeof message === "string" &&
    typeof type === "string" &&
    typeof code === "string" &&
    (param === null || typeof param === "string") &&
    (budget === undefined) === (code !== "budget_exceeded");
  if (!right) throw new Error(`this is no error of the contract: ${JSON.stringify(body)}`);
  return body.error;
}
