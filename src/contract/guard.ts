// The bounds of the guard at the door (docs/decisions/0013-the-guard.md), each with its reason. The first
// two stand in wrangler.toml as well, for the Workers rate limiting binding; a test compares them.

/** Of one kind, by one address, in one window. A client that is set up wrongly tries a few times a second. */
export const GUARD_FAILURES_MOST = 60;

/** A person has one open Token request; who withdraws and asks again all the time fills the log. */
export const GUARD_ASKS_MOST = 10;

/** One of the two periods that the Workers binding offers, 10 and 60. */
export const GUARD_WINDOW_SECONDS = 60;

/** A count is worth no longer wait: it happens behind the answer, but for a Token request. */
export const GUARD_TIMEOUT_MS = 500;

/** The Workers binding does not say when its window ends; after this it is asked again. */
export const GUARD_SHUT_MS = 10_000;

/** Addresses that an isolate remembers as shut out: some 100 kB of its 128 MB. */
export const GUARD_REMEMBERED_MOST = 1_000;

/** That the guard stands open is said once in so long by each isolate: loud, but no flood. */
export const GUARD_LOUD_EVERY_MS = 60_000;
