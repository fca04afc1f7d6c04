// Asks the scripted app below the middleware, and reads what it noted (bundle-app/scripted.py).
import { until } from "../e2e/until.ts";
import { allFrames, type Frame } from "./bundle-frames.ts";

export const KEY = "a-key";

/** What the scripted app does for one line. */
export interface Line {
  request_id?: string;
  until?: string;
  when_left?: string;
  parts?: string[];
  status?: number;
  retry_after?: string;
  raises?: string;
  breaks_after?: string;
  shows?: boolean;
}

export class BundleClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  ask(method: string, path: string, body: BodyInit | null, init: RequestInit = {}) {
    const headers = { authorization: `Bearer ${KEY}`, ...init.headers };
    return fetch(this.#url + path, { method, body, ...init, headers });
  }

  post(body: BodyInit, init: RequestInit = {}): Promise<Response> {
    const headers = { "content-type": "application/x-ndjson", ...init.headers };
    return this.ask("POST", "/v1/completions/bundle", body, { ...init, headers });
  }

  bundle(lines: readonly Line[], init?: RequestInit): Promise<Response> {
    return this.post(lines.map((line) => JSON.stringify(line)).join("\n"), init);
  }

  /** In the order of the lines. */
  async answers(lines: readonly Line[], init?: RequestInit): Promise<Frame[]> {
    const frames = await allFrames(await this.bundle(lines, init));
    return frames.toSorted((a, b) => a.line - b.line);
  }

  happen(event: string): Promise<Response> {
    return this.ask("POST", `/events/${encodeURIComponent(event)}`, null);
  }

  async journal(): Promise<string[]> {
    return (await (await this.ask("GET", "/journal", null)).json()) as string[];
  }

  journalHas(...lines: string[]): Promise<string[]> {
    const holds = (seen: string[]) => lines.every((line) => seen.includes(line));
    return until("the journal's lines", () => this.journal(), holds);
  }
}
