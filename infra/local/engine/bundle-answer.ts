// The answer to a bundle: frames in the order in which lines end, those of one turn in one write.
import type { Answer } from "./answer.ts";
import type { BundleFault } from "./faults.ts";

const BUNDLE_TYPE = "application/vnd.continuo.bundle";

/** A gateway that hears nothing for longer takes the server for dead. */
const SILENCE_MS = 10_000;

export class BundleAnswer {
  readonly #answer: Answer;
  readonly #fault: BundleFault | undefined;
  readonly #silence: NodeJS.Timeout;
  #gathered: (string | Buffer)[] = [];
  /** Lines without a frame. */
  #missing: number;
  #frames = 0;

  constructor(answer: Answer & { flushHeaders(): void }, lines: number, fault?: BundleFault) {
    this.#answer = answer;
    this.#missing = lines;
    this.#fault = fault;
    this.#silence = setInterval(() => answer.write("\n"), SILENCE_MS);
    answer.on("close", () => clearInterval(this.#silence));
    answer.writeHead(200, { "content-type": BUNDLE_TYPE });
    answer.flushHeaders();
    this.#strike();
  }

  /** The next line's frame. */
  add(frame: readonly (string | Buffer)[]): void {
    if (this.#isStruck) return;
    if (this.#gathered.length === 0) setImmediate(() => this.#flush());
    this.#gathered.push(...frame);
    this.#frames++;
    this.#missing--;
    this.#strike();
  }

  #flush(): void {
    if (this.#answer.destroyed) return;
    this.#answer.write(joined(this.#gathered));
    this.#gathered = [];
    if (this.#isStruck) return;
    if (this.#missing === 0) this.#answer.end();
    else this.#silence.refresh();
  }

  get #isStruck(): boolean {
    return this.#fault !== undefined && this.#frames >= this.#fault.at;
  }

  /** Lets a fault that waits for a frame happen. */
  #strike(): void {
    if (!this.#isStruck) return;
    clearInterval(this.#silence);
    // After the frames before it have left.
    if (this.#fault?.fault === "bundle-cut") setImmediate(() => this.#answer.destroy());
  }
}

function joined(parts: readonly (string | Buffer)[]): string | Buffer {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
