// The public keys that GitHub signs with, by identifier. An isolate asks for the list when it is old,
// or when an identifier is new to it; made-up identifiers do not make it ask more often than that.
import { PublicKeys } from "../../contract/secret-scanning.ts";
import { readText } from "../forward/read-bounded.ts";

/** A key that GitHub takes back is trusted no longer than this. */
const FRESH_MS = 3_600_000;

/** The negative cache: what the list did not have, or could not tell, is not asked for again sooner. */
const ASK_AGAIN_AFTER_MS = 60_000;

/** GitHub itself waits 30 s for our answer. */
const FETCH_TIMEOUT_MS = 5_000;

/** A few keys of 180 characters. */
const LIST_MAX_BYTES = 65_536;

const ecdsa = { name: "ECDSA", namedCurve: "P-256" } as const;

export class GithubKeys {
  readonly #url: string;
  #keys: ReadonlyMap<string, CryptoKey> = new Map();
  #freshUntil = 0;
  #askAgainAt = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Null for an identifier that GitHub does not have. Throws when its list cannot be read at all. */
  async find(identifier: string, now: number): Promise<CryptoKey | null> {
    const known = this.#keys.get(identifier);
    if (known !== undefined && now < this.#freshUntil) return known;
    if (now >= this.#askAgainAt) {
      try {
        this.#keys = await this.#fetch();
        this.#freshUntil = now + FRESH_MS;
      } finally {
        // Not before: who comes meanwhile, to a new isolate, asks too rather than being turned away.
        this.#askAgainAt = now + ASK_AGAIN_AFTER_MS;
      }
    }
    if (now >= this.#freshUntil) throw new Error("GitHub's keys could not be read");
    return this.#keys.get(identifier) ?? null;
  }

  async #fetch(): Promise<ReadonlyMap<string, CryptoKey>> {
    const response = await fetch(this.#url, {
      // GitHub's API refuses who does not say who they are.
      headers: { accept: "application/json", "user-agent": "continuo" },
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
