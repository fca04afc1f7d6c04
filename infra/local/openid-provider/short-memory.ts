// What the local provider knows of sign-ins in progress: in memory, and forgotten with the process.
import type { Adapter, AdapterPayload } from "oidc-provider";

interface Kept {
  payload: AdapterPayload;
  endsAt: number;
}

/** A store for each kind of thing; the provider makes them by `new`. */
export class ShortMemory implements Adapter {
  readonly #kept = new Map<string, Kept>();

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const now = Date.now();
    for (const [known, { endsAt }] of this.#kept) if (endsAt <= now) this.#kept.delete(known);
    this.#kept.set(id, { payload, endsAt: now + expiresIn * 1_000 });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#kept.get(id)?.payload;
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#where("uid", uid)[0]?.[1].payload;
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#where("userCode", userCode)[0]?.[1].payload;
  }

  /** So that a code that comes twice is known to have been used. */
  async consume(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept) kept.payload.consumed = Math.floor(Date.now() / 1_000);
  }

  async destroy(id: string): Promise<void> {
    this.#kept.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id] of this.#where("grantId", grantId)) this.#kept.delete(id);
  }

  #where(field: "uid" | "userCode" | "grantId", value: string): [string, Kept][] {
    return [...this.#kept].filter(([, { payload }]) => payload[field] === value);
  }
}
