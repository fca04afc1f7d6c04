import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldNames } from "../../src/contract/completion-fields.ts";
import { parseCompletionRequest } from "../../src/contract/completion-request.ts";
import { errorFromProblems } from "../../src/contract/problems.ts";
import { refusedFields } from "../../src/contract/refused-fields.ts";
import { checkAgainstModel } from "../../src/core/completion-rules.ts";
import { type Body, testModel, validBody } from "./arbitrary-completion.ts";

const secret = "Ishmael-7421";
const secretId = 742174217421;

/** JSON values that carry the secret wherever one can stand. */
const secretive: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(secret, secretId, secret.repeat(100), [secret], [[secret]], { [secret]: 1 }),
  fc.array(fc.constantFrom<unknown>(secret, "", null, 5, true, [secret]), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom(secret, "1", "include_usage"), fc.constant(secret)),
);

const names = fc.constantFrom(
  ...fieldNames,
  ...Object.keys(refusedFields),
  "messages",
  "max_completion_tokens",
  `the words of ${secret}`,
);

function messagesOf(body: unknown): string {
  const parsed = parseCompletionRequest(body);
  if (!parsed.ok) return errorFromProblems(parsed.problems).message;
  const verdict = checkAgainstModel(parsed.request, testModel);
  return verdict.kind === "refused" ? errorFromProblems(verdict.problems).message : "";
}

test("no message repeats text that the client sent, wherever in the body it stands", () => {
  fc.assert(
    fc.property(fc.dictionary(names, secretive), validBody, fc.boolean(), (wild, valid, mix) => {
      expect(messagesOf(mix ? { ...valid, ...wild } : wild)).not.toContain(secret);
    }),
    { numRuns: 500 },
  );
});

test("no message repeats an id of a prompt", () => {
  const id = fc.constantFrom<unknown>(
    secretId,
    -secretId,
    secretId + 0.5,
    1,
    "a",
    [secretId],
    null,
  );
  const prompt = fc.oneof(fc.array(id), fc.array(fc.array(id)), fc.constant(secretId));
  fc.assert(
    fc.property(prompt, (value) => {
      expect(messagesOf({ model: "m", prompt: value })).not.toContain(String(secretId));
    }),
  );
  expect(messagesOf(secretId)).not.toContain(String(secretId));
});

test("any JSON at all gets an answer, and a refusal always has a problem", () => {
  const fields = fc.dictionary(names, fc.jsonValue());
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fields), (body) => {
      const parsed = parseCompletionRequest(body);
      if (!parsed.ok) expect(parsed.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

test("one wrong field in a valid body is the only problem, and is named", () => {
  const wrong = fc.constantFrom<[string, unknown]>(
    ["temperature", 0.005],
    ["top_p", 0],
    ["seed", -1],
    ["user", 5],
    ["skip_special_tokens", 1],
    ["frobnicate", 1],
  );
  fc.assert(
    fc.property(validBody, wrong, (body: Body, [param, value]) => {
      const parsed = parseCompletionRequest({ ...body, [param]: value });
      expect(parsed.ok ? [] : parsed.problems.map((each) => each.param)).toEqual([param]);
    }),
  );
});

test("several problems become one error: the first one's param, every message in order", () => {
  const parsed = parseCompletionRequest({ model: "m", prompt: "", n: 0 });
  const error = parsed.ok ? null : errorFromProblems(parsed.problems);
  expect(error).toMatchObject({ code: "invalid_request", param: "prompt" });
  expect(error?.message).toMatch(/^2 problems\. \(1\) `prompt` .* \(2\) `n` /);
});
