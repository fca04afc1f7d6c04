// The public keys that GitHub signs with, by identifier. An isolate asks for the list when it is old,
// or when an identifier is new to it; made-up identifiers do not make it ask more often than that.
import { PublicKeys } from "../../contract/secret-scanning.ts";
import { readText } from "../forward/read-bounded.ts";

/** The list is asked for again so long after it was read. */
const FRESH_MS = 3_600_000;

/** Should GitHub not tell it then, its keys are trusted so long yet: keys that leak wait for no list. */
const TRUSTED_MS = 86_400_000;

/**
 * The negative cache: what the list does not have is not asked for again sooner. GitHub answers sixty
 * requests an hour to an address without a token: strangers must not be able to use them up.
 */
const ASK_AGAIN_AFTER_MS = 300_000;

/** After a failure, which may be over soon. */
const RETRY_AFTER_MS = 60_000;

/** GitHub itself waits 30 s for our answer. */
const FETCH_TIMEOUT_MS = 5_000;

/**
 * So many ask within that time: not one, since no request can wait for another's, and not as many as
 * come. Counted by when they began, since one whose request ends may never come back to say so.
 */
const ASKING_MOST = 2;

/** A few keys of 180 characters. */
const LIST_MAX_BYTES = 65_536;

const ecdsa = { name: "ECDSA", namedCurve: "P-256" } as const;

export class GithubKeys {
  readonly #url: string;
  readonly #token: string | undefined;
  #keys: ReadonlyMap<string, CryptoKey> = new Map();
  #freshUntil = 0;
  #trustedUntil = 0;
  #askAgainAt = 0;
  #askedAt: number[] = [];

  constructor(url: string, token?: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Null for an identifier that GitHub does not have. Throws when its list cannot be read at all. */
  async find(identifier: string, now: number): Promise<CryptoKey | null> {
    const isKnown = this.#keys.has(identifier) && now < this.#freshUntil;
    const failure = isKnown ? null : await this.#ask(now);
    const known = this.#keys.get(identifier);
    if (known !== undefined && now < this.#trustedUntil) return known;
    if (now < this.#freshUntil) return null;
    throw failure ?? new Error("GitHub's keys could not be read");
  }

  /** Unless it is too soon. What went wrong, or null. */
  async #ask(now: number): Promise<unknown> {
    this.#askedAt = this.#askedAt.filter((at) => now - at < FETCH_TIMEOUT_MS);
    if (now < this.#askAgainAt || this.#askedAt.length >= ASKING_MOST) return null;
    this.#askedAt.push(now);
    try {
      this.#keys = await this.#fetch();
      this.#freshUntil = now + FRESH_MS;
      this.#trustedUntil = now + TRUSTED_MS;
      this.#askAgainAt = now + ASK_AGAIN_AFTER_MS;
      return null;
    } catch (failure) {
      this.#askAgainAt = now + RETRY_AFTER_MS;
      return failure;
    }
  }

  async #fetch(): Promise<ReadonlyMap<string, CryptoKey>> {
    const response = await fetch(this.#url, {
      headers: {
        accept: "application/json",
        // GitHub's API refuses who does not say who they are.
        "user-agent": "continuo",
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      },
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
    const text = await readText(response, LIST_MAX_BYTES);
    if (!response.ok) throw new Error(`GitHub's keys: status ${response.status}`);
    const { public_keys } = PublicKeys.parse(JSON.parse(text));
    const read = public_keys.map(
      async ({ key_identifier, key }) => [key_identifier, await importPem(key)] as const,
    );
    return new Map(await Promise.all(read));
  }
}

function importPem(pem: string): Promise<CryptoKey> {
  const base64 = pem.replaceAll(/-----[A-Z ]+-----|\s/g, "");
  const spki = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return crypto.subtle.importKey("spki", spki, ecdsa, false, ["verify"]);
}
