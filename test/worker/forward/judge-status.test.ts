import { describe, expect, test } from "vitest";
import { errorCatalogue } from "../../../src/contract/errors.ts";
import { judgeEngineError, judgeStatus } from "../../../src/worker/forward/judge-status.ts";

const vllmError = (message: string, code: number, type = "BadRequestError"): string =>
  JSON.stringify({ error: { message, type, param: null, code } });

const quoting = "it quotes the client's own secret";

describe("a backend's status becomes", () => {
  test.each([
    [503, "", null, "model_starting", 5_000],
    [503, "<html>starting</html>", null, "model_starting", 5_000],
    [503, '{"detail":"not ready"}', null, "model_starting", 5_000],
    [
      503,
      vllmError("The engine is currently busy and cannot accept new requests.", 503),
      null,
      "inference_overloaded",
      1_000,
    ],
    [503, vllmError("Request queue full.", 503), null, "inference_overloaded", 1_000],
    [
      503,
      vllmError("Request queue reached max pending tokens limit.", 503),
      "7",
      "inference_overloaded",
      7_000,
    ],
    [429, "", null, "inference_overloaded", 1_000],
    [429, "", "0.5", "inference_overloaded", 500],
    [429, "", "3600", "inference_overloaded", 60_000],
    [429, "", "Fri, 31 Dec 1999 23:59:59 GMT", "inference_overloaded", 1_000],
    [400, vllmError(quoting, 400), null, "invalid_request", undefined],
    [404, vllmError("The model `x` does not exist.", 404), null, "model_starting", 5_000],
    [404, '{"error":"no endpoint serves this model"}', null, "model_starting", 5_000],
    [422, '{"detail":[{"msg":"x"}]}', null, "invalid_request", undefined],
    [400, "no JSON", null, "invalid_request", undefined],
    [
      400,
      vllmError("This model's maximum context length is 8192 tokens. However", 400),
      null,
      "context_length_exceeded",
      undefined,
    ],
    [
      400,
      vllmError("Token id 99999 is out of vocabulary", 400),
      null,
      "invalid_request",
      undefined,
    ],
    [401, '"Unauthorized"', null, "inference_failed", undefined],
    [403, "", null, "inference_failed", undefined],
    [301, "", null, "inference_failed", undefined],
    [303, "", null, "inference_failed", undefined],
    [500, vllmError(quoting, 500, "InternalServerError"), null, "inference_failed", undefined],
    [502, "<html>bad gateway</html>", null, "inference_failed", undefined],
    [204, "", null, "inference_failed", undefined],
  ])("%i %s %s → %s, %s ms", (status, body, retryAfter, code, retryAfterMs) => {
    const error = judgeStatus({ status, body, retryAfter });
    expect({ code: error.code, retryAfterMs: error.retryAfterMs }).toEqual({ code, retryAfterMs });
    expect(errorCatalogue).toHaveProperty(code);
    expect(error.message).not.toMatch(/secret|x-|99999/);
  });

  test("the kind that an error's beginning shows, where the rest was cut off", () => {
    const body = vllmError(`maximum context length is 8 tokens ${"x".repeat(99)}`, 400).slice(
      0,
      80,
    );
    expect(judgeStatus({ status: 400, body, retryAfter: null }).code).toBe(
      "context_length_exceeded",
    );
  });

  test("nothing that a text in the client's prompt decides alone", () => {
    const body = "maximum context length, queue full, logprobs";
    expect(judgeStatus({ status: 503, body, retryAfter: null }).code).toBe("model_starting");
    expect(judgeStatus({ status: 400, body, retryAfter: null }).code).toBe("invalid_request");
  });
});

test.each([
  [{ error: { message: quoting, code: 400 } }, "invalid_request"],
  [{ error: { message: quoting, code: "400" } }, "invalid_request"],
  [{ error: { message: quoting, code: 500 } }, "inference_failed"],
  [{ error: { message: "Request queue full.", code: 503 } }, "inference_overloaded"],
  [{ error: { message: quoting, code: "abc" } }, "inference_failed"],
  [{ error: quoting }, "inference_failed"],
  [{ error: null, code: 429 }, "inference_overloaded"],
])("an error inside of a stream is judged by its code: %j → %s", (event, code) => {
  const error = judgeEngineError(event);
  expect(error.code).toBe(code);
  expect(error.message).not.toContain("secret");
});
