// API keys: `ctn_<account id>_<secret><check>`. The check is a truncated HMAC by the minting secret,
// so a made-up key is refused here and never creates or wakes an object. Which key is valid *now* is
// known by the Account alone, which holds its SHA-256; nothing here decides that.
import { KEY_PATTERN } from "../../contract/key-format.ts";
import { base32 } from "../../core/base32.ts";
import { hex } from "../../core/hex.ts";

/** 10 bytes, 16 characters: 80 bits, so that ids never collide by chance. */
const ACCOUNT_ID_BYTES = 10;
/** 20 bytes, 32 characters: 160 bits of secret. */
const SECRET_BYTES = 20;
/** 5 bytes, 8 characters: one made-up key in 10^12 reaches an object, which then refuses it. */
const CHECK_BYTES = 5;
const CHECK_CHARACTERS = 8;

const FORMAT = new RegExp(`^${KEY_PATTERN}$`);
const PREFIX = "ctn_";
const ACCOUNT_ID_CHARACTERS = 16;
/** Enough to recognise a key by; what is not shown still has 140 bits of secret. */
const START_CHARACTERS = 25;

/** How many keys an isolate computes only once; about 200 bytes each. */
const READ_KEYS_KEPT = 1_000;

const utf8 = new TextEncoder();

export interface MintedKey {
  key: string;
  hash: string;
  start: string;
}

export interface ReadKey {
  accountId: string;
  hash: string;
}

export function newAccountId(): string {
  return base32(crypto.getRandomValues(new Uint8Array(ACCOUNT_ID_BYTES)));
}

/** Ids of keys name their Account, so that an Admin can revoke one by its id alone. */
export function newKeyId(accountId: string): string {
  return `key_${accountId}_${base32(crypto.getRandomValues(new Uint8Array(ACCOUNT_ID_BYTES)))}`;
}

export function accountOfKeyId(keyId: string): string | null {
  return /^key_([0-9a-hjkmnp-tv-z]{16})_[0-9a-z]{1,64}$/.exec(keyId)?.[1] ?? null;
}

/** Makes and reads keys. The first secret mints; each of them is accepted while rotating. */
export class KeyMint {
  readonly #secrets: Promise<CryptoKey>[];
  /** Arithmetic on keys that were read before: their hash and check can never change. */
  readonly #readKeys = new Map<string, ReadKey>();

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.map((secret) =>
      crypto.subtle.importKey(
        "raw",
        utf8.encode(secret),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      ),
    );
  }

  /** The same key for the same `draw`, which whoever has it alone can have again; else a new one. */
  async mint(accountId: string, draw?: string): Promise<MintedKey> {
    const [minting] = this.#secrets;
    if (minting === undefined) throw new Error("no secret to mint keys with");
    const secret =
      draw === undefined
        ? crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
        : await drawn(await minting, `draw ${accountId} ${draw}`);
    const body = `${PREFIX}${accountId}_${base32(secret)}`;
    const key = body + (await check(await minting, body));
    return { key, hash: await sha256(key), start: key.slice(0, START_CHARACTERS) };
  }

  /** The Account and hash of a key that we minted, else null. */
  async read(key: string): Promise<ReadKey | null> {
    const known = this.#readKeys.get(key);
    if (known !== undefined) return known;
    const read = await this.#compute(key);
    if (read === null) return null;
    if (this.#readKeys.size >= READ_KEYS_KEPT) this.#readKeys.clear();
    this.#readKeys.set(key, read);
    return read;
  }

  async #compute(key: string): Promise<ReadKey | null> {
    if (!FORMAT.test(key)) return null;
    const accountId = key.slice(PREFIX.length, PREFIX.length + ACCOUNT_ID_CHARACTERS);
    const body = key.slice(0, -CHECK_CHARACTERS);
    const hash = sha256(key);
    for (const secret of this.#secrets) {
      if (equal(await check(await secret, body), key.slice(-CHECK_CHARACTERS))) {
        return { accountId, hash: await hash };
      }
    }
    return null;
  }
}

/** Compares without telling by its time where the difference is. */
export function equal(a: string, b: string): boolean {
  const left = utf8.encode(a);
  const right = utf8.encode(b);
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

async function drawn(secret: CryptoKey, draw: string): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.sign("HMAC", secret, utf8.encode(draw)),
    0,
    SECRET_BYTES,
  );
}

async function check(secret: CryptoKey, body: string): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", secret, utf8.encode(body));
  return base32(new Uint8Array(mac, 0, CHECK_BYTES));
}

/** In hex. */
export async function sha256(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(text))));
}
