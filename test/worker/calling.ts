// How the tests of the routes talk to the Worker, and to the scripted backend behind it.
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { TokenFigures } from "../../src/contract/account.ts";
import type { Script, Seen } from "../upstream/script.ts";
import { type bindings, operatorKey } from "./bindings.ts";

export interface Call {
  method?: string;
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export const ORIGIN = "https://continuo.test";

/** Text, bytes and streams are sent as they are, anything else as JSON. */
export function call(path: string, options: Call = {}): Promise<Response> {
  const { method = "GET", key = null, body, headers, signal } = options;
  return exports.default.fetch(`${ORIGIN}${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> | ReadableStream {
  return typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
}

export function complete(key: string, body: object, options: Call = {}): Promise<Response> {
  const completion = { model: "local", max_tokens: 5, ...body };
  return call("/v1/completions", { method: "POST", key, body: completion, ...options });
}

/** A call of the admin API, as the operator unless another key is given. */
export function admin(method: string, path: string, body?: unknown, key = operatorKey) {
  return call(`/v1/admin${path}`, { method, key, body });
}

/** What a call that must succeed answers. */
export async function read<T>(calling: Promise<Response>): Promise<T> {
  const response = await calling;
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as T;
}

export interface ErrorAnswer {
  status: number;
  code: string;
  param: string | null;
  message: string;
  retry: string | null;
}

/** The error of an answer, which must have the one shape that all have. */
export async function errorOf(calling: Promise<Response> | Response): Promise<ErrorAnswer> {
  const response = await calling;
  expect(response.headers.get("content-type")).toBe("application/json");
  const body = (await response.json()) as { error: { [name: string]: string | null } };
  const { message, type, param, code } = body.error;
  expect(type).toMatch(/^[a-z_]+$/);
  expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  return {
    ...{ status: response.status, code: String(code), param: param ?? null },
    ...{ message: String(message), retry: response.headers.get("x-should-retry") },
  };
}

export interface Person {
  id: string;
  key: string;
  keyId: string;
}

interface PersonOptions {
  tokens?: number;
  role?: "member" | "admin";
  /** Of the key. */
  scope?: "completions" | "admin";
  limits?: object;
}

export async function newPerson(options: PersonOptions = {}): Promise<Person> {
  const { tokens = 100_000, role = "member", scope = "completions", limits } = options;
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await read<{ id: string }>(admin("POST", "/people", { email, role }));
  if (tokens > 0) await read(admin("POST", `/people/${id}/grants`, { tokens }));
  if (limits) await read(admin("PATCH", `/people/${id}`, { limits }));
  const minting = admin("POST", `/people/${id}/keys`, { name: "key", scope });
  const minted = await read<{ id: string; key: string }>(minting);
  return { id, key: minted.key, keyId: minted.id };
}

export interface PersonView {
  tokens: TokenFigures;
  running: number;
  waiting: number;
  role: string;
  disabled: boolean;
  grants: { id: string; tokens: number }[];
  usage: { totals: { requests: number; prompt_tokens: number; completion_tokens: number } };
}

/** Through the admin API: also of a person whose keys are refused. */
export function view({ id }: Person): Promise<PersonView> {
  return read(admin("GET", `/people/${id}`));
}

/** What was written down about this person, oldest first. */
export function audit(id: string) {
  return runInDurableObject(env.DIRECTORY.getByName("directory"), (_, { storage }) =>
    storage.sql
      .exec("SELECT who, what, detail FROM audit WHERE whom = ? ORDER BY seq", id)
      .toArray()
      .map(({ who, what, detail }) => ({ who, what, detail: JSON.parse(String(detail)) })),
  );
}

/** The tokens once nothing of this person runs any more. */
export async function settled(person: Person): Promise<TokenFigures> {
  await vi.waitFor(async () => expect((await view(person)).running).toBe(0), { interval: 10 });
  return (await view(person)).tokens;
}

/** One test's part of the backend: it answers the prompts that begin with this name. */
export class Backend {
  readonly name = crypto.randomUUID();

  async script(script: Script): Promise<void> {
    await this.#control("script", script);
  }

  /** Lets go what is held. */
  async go(): Promise<void> {
    await this.#control("go", {});
  }

  /** Every request that has come, also to the tokenizer. */
  async seen(path?: string): Promise<Seen[]> {
    const all = await this.#control("seen", {});
    return path === undefined ? all : all.filter((one) => one.path === path);
  }

  /** Waits until so many Completions have come. */
  async reached(count = 1): Promise<void> {
    const completions = async () => expect(await this.seen("/v1/completions")).toHaveLength(count);
    await vi.waitFor(completions, { interval: 10 });
  }

  async #control(verb: string, body: object): Promise<Seen[]> {
    const url = `${backendUrl()}/test/${verb}/${this.name}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as Seen[];
  }
}

function backendUrl(): string {
  const { BACKENDS } = env as unknown as ReturnType<typeof bindings>;
  const backends = JSON.parse(BACKENDS ?? "") as Record<string, { url: string } | undefined>;
  return backends.local?.url ?? "";
}
