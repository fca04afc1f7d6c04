// What is the same of every refusal at the door.
import { afterEach, beforeEach, expect, vi } from "vitest";
import { PROGRESS, SESSION, type SigningIn } from "./signing-in.ts";
import { words } from "./visitor.ts";

interface Expected {
  status: number;
  reason: string;
  /** Somewhere on the page. */
  says: string;
}

/** Catches what each test of the file writes to the log, to look into and in place of the log. */
export function watchRefusals() {
  const logged: string[] = [];
  beforeEach(() => {
    logged.length = 0;
    for (const level of ["log", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((...line) => {
        logged.push(JSON.stringify(line));
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** A page that says so, whose reason is all of the log, and nobody is signed in. */
  async function refused(browser: SigningIn, answer: Response, expected: Expected): Promise<void> {
    expect(await words(answer)).toContain(expected.says);
    expect(answer.status).toBe(expected.status);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(browser.cookies.has(PROGRESS)).toBe(false);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(`"event":"sign_in_refused"`);
    expect(logged[0]).toContain(`"refusal":"${expected.reason}"`);
  }

  return { logged, refused };
}
