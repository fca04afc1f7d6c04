// One row of the table: a sentence that must hold, and the comparisons that show it.

export interface Case {
  /** A sentence about behaviour. */
  name: string;
  compares: string;
  /** Part of `--quick`. */
  quick: boolean;
  run(check: Check, quick: boolean): Promise<void>;
}

export interface Difference {
  /** Which of the case's comparisons. */
  at: string;
  what: string;
}

/** Counts what held and keeps what did not; a case goes on after a difference. */
export class Check {
  held = 0;
  readonly differences: Difference[] = [];

  holds(condition: boolean, at: string, what: string): void {
    if (condition) this.held++;
    else this.differences.push({ at, what });
  }

  same(actual: unknown, expected: unknown, at: string): void {
    const [ours, theirs] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.holds(ours === theirs, at, `${short(ours)} instead of ${short(theirs)}`);
  }

  sameBytes(actual: Buffer | undefined, expected: Buffer | undefined, at: string): void {
    const [ours, theirs] = [actual ?? Buffer.alloc(0), expected ?? Buffer.alloc(0)];
    if (ours.equals(theirs) && actual !== undefined) {
      this.held++;
      return;
    }
    let from = 0;
    while (from < ours.length && ours[from] === theirs[from]) from++;
    const around = (bytes: Buffer) => bytes.toString("utf8", Math.max(0, from - 40), from + 40);
    this.holds(false, at, `byte ${from}: ${around(ours)} instead of ${around(theirs)}`);
  }

  /** Work whose failure is a difference, not the end of the case. */
  async tries(at: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (failure) {
      this.holds(false, at, failure instanceof Error ? failure.message : String(failure));
    }
  }
}

const SHORT_CHARACTERS = 120;

function short(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > SHORT_CHARACTERS ? `${text.slice(0, SHORT_CHARACTERS)}…` : text;
}
