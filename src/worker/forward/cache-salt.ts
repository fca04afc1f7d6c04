import { hex } from "../../core/hex.ts";

/** How many an isolate computes only once; about 200 bytes each. */
const SALTS_KEPT = 1_000;

/**
 * Names a person's prefix cache to vLLM (`cache_salt`): a hex HMAC-SHA256 of the Account's id, so that
 * nobody can time whether somebody else sent the same prompt.
 */
export class CacheSalt {
  readonly #key: Promise<CryptoKey>;
  readonly #salts = new Map<string, string>();

  constructor(secret: string) {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const bytes = new TextEncoder().encode(secret);
    this.#key = crypto.subtle.importKey("raw", bytes, hmac, false, ["sign"]);
  }

  async of(accountId: string): Promise<string> {
    const known = this.#salts.get(accountId);
    if (known !== undefined) return known;
    if (this.#salts.size >= SALTS_KEPT) this.#salts.clear();
    const salt = await this.#compute(accountId);
    this.#salts.set(accountId, salt);
    return salt;
  }

  async #compute(accountId: string): Promise<string> {
    const bytes = new TextEncoder().encode(accountId);
    return hex(new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, bytes)));
  }
}
