import * as oauth from "oauth4webapi";
import type { SignInRefusal } from "./refusals.ts";

/** What was being done: `discovery` of the provider, reading its `answer`, `exchange` of the code. */
type Stage = "discovery" | "answer" | "exchange";

interface Judged {
  refusal: SignInRefusal;
  /** For the log: a name of the protocol's or the library's, never what was sent. */
  code: string;
}

/** The provider could not be reached; what the runtime says of why differs by runtime. */
export class Unreachable extends Error {
  override name = "Unreachable";
}

/** What a failure means to the person who signs in, or null for a defect of ours. */
export function judgeFailure(stage: Stage, failure: unknown): Judged | null {
  if (failure instanceof Unreachable) return { refusal: "provider_unreachable", code: "network" };
  if (failure instanceof oauth.AuthorizationResponseError) {
    const declined = failure.error === "access_denied";
    return { refusal: declined ? "declined" : "provider_refused", code: named(failure.error) };
  }
  if (failure instanceof oauth.ResponseBodyError) {
    return { refusal: tokenRefusal(failure.error), code: named(failure.error) };
  }
  if (failure instanceof oauth.WWWAuthenticateChallengeError) {
    return { refusal: "provider_misconfigured", code: failure.code };
  }
  if (
    failure instanceof oauth.OperationProcessingError ||
    failure instanceof oauth.UnsupportedOperationError
  ) {
    const code = failure.code ?? "unnamed";
    return { refusal: processingRefusal(stage, code), code };
  }
  return null;
}

function tokenRefusal(error: string): SignInRefusal {
  if (error === "invalid_grant") return "code_refused";
  const ours = ["invalid_client", "unauthorized_client"].includes(error);
  return ours ? "provider_misconfigured" : "provider_refused";
}

function processingRefusal(stage: Stage, code: string): SignInRefusal {
  if (stage === "discovery") return "provider_unreachable";
  // Another state, another issuer, or one of them twice.
  if (stage === "answer") return "another_sign_in";
  switch (code) {
    case oauth.JWT_TIMESTAMP_CHECK:
      return "clocks_differ";
    case oauth.RESPONSE_IS_NOT_CONFORM:
    case oauth.RESPONSE_IS_NOT_JSON:
    case oauth.PARSE_ERROR:
      return "provider_unreachable";
    default:
      return "untrusted_answer";
  }
}

/** OAuth's error names are lower-case words; anything else is not for a log. */
function named(error: string): string {
  return /^[a-z_]{1,40}$/.test(error) ? error : "other";
}
