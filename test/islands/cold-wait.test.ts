import { expect, test } from "vitest";
import { waitingWords } from "../../src/islands/api/cold-wait.ts";

const wait = { model: "large", seconds: 6.4, lastStartSeconds: null, aboutSeconds: null };

test("a wait says how long it has been, and promises nothing that nobody knows", () => {
  expect(waitingWords(wait)).toBe(
    "large was Cold and is starting, 6 s so far. Waiting costs no tokens. Stop ends the wait.",
  );
});

test("a wait says how long the last start took, or better what is left by the estimate", () => {
  const known = { ...wait, lastStartSeconds: 98 };
  expect(waitingWords(known)).toContain("6 s so far; its last start took 98 s.");
  expect(waitingWords({ ...known, aboutSeconds: 840 })).toContain(
    "6 s so far; about 14 min more by the estimate.",
  );
});
