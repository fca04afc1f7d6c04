// Counts failures by address, and remembers for a while who had too many. It protects the service, not
// the money, so it fails open: when nothing can be counted nobody is shut out, and the log says so.
import { GUARD_LOUD_EVERY_MS, GUARD_REMEMBERED_MOST } from "../../contract/guard.ts";
import { hex } from "../../core/hex.ts";
import { ShutOut } from "../../core/shut-out.ts";
import type { Limiter, Limiters } from "./limiters.ts";

const utf8 = new TextEncoder();

/** Sets these keys apart from the others that are derived from the same secret. */
const KEY_PURPOSE = "continuo: addresses at the door";

export class Guard {
  readonly #limiters: Limiters | null;
  readonly #secret: string;
  readonly #shutOut = new ShutOut(GUARD_REMEMBERED_MOST);
  #key: Promise<CryptoKey> | null = null;
  #loudAgainAt = 0;

  /** By the secret an address becomes what is sent and kept elsewhere. */
  constructor(limiters: Limiters | null, secret: string) {
    this.#limiters = limiters;
    this.#secret = secret;
  }

  get isIdle(): boolean {
    return this.#shutOut.isEmpty;
  }

  /** How long `who` is shut out yet, in ms, as far as this isolate knows; 0 for not. */
  waitMs(who: string, now: number): number {
    return this.#shutOut.waitMs(who, now);
  }

  /** Never rejects. */
  async countFailure(who: string, now: number): Promise<void> {
    await this.#count(this.#limiters?.failures, who, now);
  }

  /** Counts a Token request; how long to wait, in ms, where there were too many. Never rejects. */
  async countAsk(who: string, now: number): Promise<number> {
    if (this.waitMs(who, now) === 0) await this.#count(this.#limiters?.asks, who, now);
    return this.waitMs(who, now);
  }

  async #count(limiter: Limiter | undefined, who: string, now: number): Promise<void> {
    if (limiter === undefined) return;
    try {
      const until = await limiter(await this.#hashed(who), now);
      if (until !== null) this.#shutOut.shut(who, until);
    } catch (failure) {
      if (now < this.#loudAgainAt) return;
      this.#loudAgainAt = now + GUARD_LOUD_EVERY_MS;
      const message = "THE GUARD IS OPEN: failures at the door cannot be counted";
      console.error({ event: "guard_open", message, failure: String(failure) });
    }
  }

  async #hashed(who: string): Promise<string> {
    this.#key ??= crypto.subtle.importKey(
      "raw",
      utf8.encode(`${KEY_PURPOSE} ${this.#secret}`),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const mac = await crypto.subtle.sign("HMAC", await this.#key, utf8.encode(who));
    return hex(new Uint8Array(mac, 0, 16));
  }
}
