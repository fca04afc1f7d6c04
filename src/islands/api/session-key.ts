// The key that this page calls the API with. It stays in a private field of this module's one object:
// no element, address or storage of the browser ever has it. docs/decisions/0015.

/** Asked for again so long before it expires: a request that is sent then still arrives in time. */
const RENEW_BEFORE_MS = 30_000;

export class SessionKey {
  #current: Promise<{ key: string; until: number }> | null = null;

  /** Rejects with a sentence for the person when the session is over. */
  async get(): Promise<string> {
    this.#current ??= ask();
    try {
      const { key, until } = await this.#current;
      if (until > performance.now()) return key;
    } catch (failure) {
      this.#current = null;
      throw failure;
    }
    this.#current = null;
    return this.get();
  }

  /** After a 401: the session may have ended, or another one began. */
  forget(): void {
    this.#current = null;
  }
}

async function ask(): Promise<{ key: string; until: number }> {
  const answer = await fetch("/app/session-key", { method: "POST" });
  const body = (await answer.json().catch(() => null)) as SessionKeyAnswer | null;
  if (!answer.ok || body?.key === undefined || body.expires_in === undefined) {
    throw new Error(body?.error?.message ?? "The service did not answer. Try again in a moment.");
  }
  const until = performance.now() + body.expires_in * 1_000 - RENEW_BEFORE_MS;
  return { key: body.key, until };
}

interface SessionKeyAnswer {
  key?: string;
  /** Seconds. */
  expires_in?: number;
  error?: { message: string };
}
