// What the service says of a Model while it starts: its states, each with the second it came.

export interface Look {
  state: string;
  /** All starts so far; null without an admin key. */
  starts: number | null;
}

const LOOK_EVERY_MS = 500;

export class ModelWatch {
  readonly #url: string;
  readonly #key: string;
  readonly #adminKey: string;
  readonly #model: string;
  readonly #seen: { state: string; seconds: number }[] = [];
  #beganAt = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: { url: string; key: string; "admin-key": string; model: string }) {
    this.#url = options.url.replace(/\/$/, "");
    this.#key = options.key;
    this.#adminKey = options["admin-key"];
    this.#model = options.model;
  }

  begin(): void {
    this.#beganAt = performance.now();
    this.#timer = setInterval(() => void this.#note(), LOOK_EVERY_MS);
  }

  async end(): Promise<Look> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#note();
    return await this.look();
  }

  /** `starting after 0.5 s, warm after 20.5 s` */
  story(): string {
    return this.#seen
      .map(({ state, seconds }) => `${state} after ${seconds.toFixed(1)} s`)
      .join(", ");
  }

  async look(): Promise<Look> {
    const shown = await this.#get<{ warm: string }>(`/models/${this.#model}`, this.#key);
    return { state: shown.warm, starts: await this.#starts() };
  }

  async #starts(): Promise<number | null> {
    if (this.#adminKey === "") return null;
    const list = await this.#get<{ data: { id: string; starts_total: number }[] }>(
      "/admin/models",
      this.#adminKey,
    );
    return list.data.find(({ id }) => id === this.#model)?.starts_total ?? null;
  }

  async #note(): Promise<void> {
    // A look that fails is missing from the story; the clients' outcomes say more.
    const state = await this.look().then(
      (look) => look.state,
      () => "unknown",
    );
    if (this.#seen.at(-1)?.state === state) return;
    this.#seen.push({ state, seconds: (performance.now() - this.#beganAt) / 1_000 });
  }

  async #get<T>(path: string, key: string): Promise<T> {
    const response = await fetch(this.#url + path, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    return (await response.json()) as T;
  }
}
