// Why somebody is not signed in: a sentence each that says what to do. One table, so that a reason in
// the log and the page that the person saw can be brought together.
import type { SignIn } from "../../../contract/directory.ts";

export type SignInRefusal =
  | Exclude<SignIn["outcome"], "signed_in">
  | "not_configured"
  | "provider_unreachable"
  | "provider_misconfigured"
  | "not_in_progress"
  | "expired"
  | "another_sign_in"
  | "declined"
  | "provider_refused"
  | "code_refused"
  | "clocks_differ"
  | "untrusted_answer";

interface Row {
  status: 400 | 403 | 502 | 503;
  title: string;
  sentence: string;
  /** What the link offers; `another` asks the provider again who it is. */
  next: "again" | "another" | "nothing";
}

export const refusals: Readonly<Record<SignInRefusal, Row>> = {
  not_configured: {
    status: 503,
    title: "Sign-in is not configured",
    sentence: "Nobody can sign in here yet: whoever runs this service sets OIDC_ISSUER first.",
    next: "nothing",
  },
  provider_unreachable: {
    status: 502,
    title: "The sign-in provider does not answer",
    sentence: "Try again in a minute; if it stays so, tell whoever runs this service.",
    next: "again",
  },
  provider_misconfigured: {
    status: 502,
    title: "The sign-in provider does not know this service",
    sentence: "Tell whoever runs this service to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.",
    next: "nothing",
  },
  not_in_progress: {
    status: 400,
    title: "No sign-in is in progress",
    sentence: "It was finished before, or begun in another browser: sign in again in this one.",
    next: "again",
  },
  expired: {
    status: 400,
    title: "The sign-in took too long",
    sentence: "It may take ten minutes: sign in again.",
    next: "again",
  },
  another_sign_in: {
    status: 400,
    title: "This answers another sign-in",
    sentence: "Perhaps two tabs were signing in at once: sign in again in one of them.",
    next: "again",
  },
  declined: {
    status: 403,
    title: "The sign-in was called off",
    sentence:
      "The sign-in provider says that it was declined: sign in again if you want to come in.",
    next: "again",
  },
  provider_refused: {
    status: 502,
    title: "The sign-in provider refused",
    sentence: "Try again; if it stays so, tell whoever runs this service.",
    next: "again",
  },
  code_refused: {
    status: 400,
    title: "The sign-in was used before",
    sentence: "The sign-in provider takes each sign-in once, and not for long: sign in again.",
    next: "again",
  },
  clocks_differ: {
    status: 502,
    title: "Two clocks differ",
    sentence:
      "Tell whoever runs this service that its time and the sign-in provider's are too far apart.",
    next: "again",
  },
  untrusted_answer: {
    status: 502,
    title: "The sign-in provider's answer cannot be trusted",
    sentence: "Sign in again; if it stays so, tell whoever runs this service.",
    next: "again",
  },
  email_unverified: {
    status: 403,
    title: "Your e-mail address is not verified",
    sentence: "Have the sign-in provider verify it, then sign in again.",
    next: "another",
  },
  not_invited: {
    status: 403,
    title: "You have no invite",
    sentence: "Access is by invite, to the very address that you sign in with.",
    next: "another",
  },
  invite_expired: {
    status: 403,
    title: "Your invite has expired",
    sentence: "Ask an Admin to extend it, then sign in again.",
    next: "another",
  },
  disabled: {
    status: 403,
    title: "Your account is disabled",
    sentence: "Ask an Admin to enable it.",
    next: "another",
  },
  bound_to_another: {
    status: 403,
    title: "This address is in use",
    sentence: "Its person signs in by another account at the sign-in provider: use that one.",
    next: "another",
  },
};
