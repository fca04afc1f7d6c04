// The bounds of an Account and of the service, each with its reason. Bounds of one request body
// stand in request-limits.ts, those of the way to the backend beside the code that keeps them.
import type { AccountLimits } from "./account.ts";

/** What a person gets who has no override; an admin may set others for each person. */
export const DEFAULT_ACCOUNT_LIMITS: AccountLimits = {
  // Two full batches of eight: enough for a script with a thread pool, too few to fill a GPU alone.
  running: 16,
  // Four times what runs. A client that opens more is told at once rather than kept for minutes.
  waiting: 64,
  // Ten a second, all of which may come at once: a sweep starts as fast as it likes, then evens out.
  startsPerMinute: 600,
};

/** A place in the line is given up after this: below the 60 s that openai-node obeys of a header. */
export const LINE_WAIT_MS = 60_000;

/** Asked of a client that found the line full; a Completion takes about that long to end. */
export const LINE_RETRY_AFTER_MS = 1_000;

/** The window of `startsPerMinute`. */
export const RATE_WINDOW_MS = 60_000;

/** Three missed renewals end a Hold; a gateway that is alive renews every 30 s. */
export const HOLD_LEASE_MS = 90_000;
export const HOLD_RENEW_MS = 30_000;

/**
 * A request that runs so long hears at once when its key ends. Those that end sooner, most of them, are
 * spared the call, which costs a longer one next to nothing: they end within this time of a revocation
 * anyway.
 */
export const HOLD_LISTEN_AFTER_MS = 1_000;

/**
 * Below the 300 s at which proxies and SDKs commonly give up. With the SDKs' own two retries a
 * request waits 14 minutes, longer than the largest Model takes to start.
 */
export const COLD_HOLD_SECONDS = 290;

/** Told to a client whose Model is still starting. */
export const STARTING_RETRY_AFTER_MS = 5_000;

/** Settlements gather this long, or until so many wait, before one write makes them durable. */
export const COMMIT_AFTER_MS = 250;
export const COMMIT_AT_SETTLEMENTS = 64;

/**
 * How many tokens beyond what is held the disk sets aside, so that most admissions write nothing.
 * It is also what a person misses for one lease after a crash, so it stays near one large request.
 */
export const BLOCK_AHEAD_TOKENS = 65_536;

/** An Account at rest for so long writes its block back, long before the runtime evicts it. */
export const BLOCK_IDLE_MS = 2_000;

/** How long the ids of ended requests are known, far above the 30 s a gateway may repeat a call. */
export const ENDED_KEPT_MS = 600_000;

/** Far below 2^53, so that sums of Grants stay exact whole numbers. */
export const GRANT_MAX_TOKENS = 1_000_000_000_000;

/** A name is a line in a table, a note a few paragraphs; more is something pasted by mistake. */
export const NAME_MAX_CHARACTERS = 200;
export const NOTE_MAX_CHARACTERS = 2_000;

/** A usage query reads at most this many days: a year and a leap day. */
export const USAGE_MAX_DAYS = 366;

/** An admin list's page; larger ones make slow pages and long object calls. */
export const PAGE_MAX_ROWS = 200;

/** No field of the admin API is long; a larger body is a mistake. */
export const ADMIN_BODY_MAX_BYTES = 65_536;

/** A month's limit until an operator or an Admin sets another: some 14 hours of eight large GPUs. */
export const SPEND_LIMIT_USD = 500;

/** Above what anybody means: a slip of the keyboard must not lift the limit. */
export const SPEND_LIMIT_MAX_USD = 10_000_000;

/** Text and ids together of one Completion; 413 above. Counted while reading. */
export const COMPLETION_BODY_MAX_BYTES = 8_000_000;

/** What an isolate knows of a Model is no older: so a pause is everywhere within this time. */
export const STATUS_FRESH_MS = 5_000;

/** Requests that wait for one Cold Model: each is an open call, some kB of an object's 128 MB. */
export const WAITING_MOST = 5_000;

/** An address that nobody has used for so long is no invite any more: it may have changed hands. */
export const INVITE_DAYS = 14;

/** A session ends so long after its sign-in, however busy it is: what was stolen is of use no longer. */
export const SESSION_DAYS = 30;

/** And so long after its last request: a browser that was left behind signs nobody in for weeks. */
export const SESSION_IDLE_DAYS = 7;

/** A session's last request is written down at most so often: reading pages writes next to nothing. */
export const SESSION_SEEN_EVERY_MS = 60_000;

/** A person's sessions; the one seen longest ago makes room. A script that signs in fills no disk. */
export const SESSIONS_MOST = 50;

/** A sender gives up on a webhook after some days; one that comes again within this is known. */
export const WEBHOOKS_KEPT_DAYS = 30;

/** Accounts that are read in one search for an old key: far below the calls a request may make. */
export const INDEX_ACCOUNTS_MOST = 200;

/** Of keys that others revoked; beyond that a page has nothing else to show. */
export const KEY_NOTICES_SHOWN = 5;

/**
 * An Account's figures are told to the Directory so long after they change, however often they do: a
 * thousand people at work are 200 small writes a second there.
 */
export const ROLL_UP_AFTER_MS = 5_000;

/** Whoever approves gives the Grant at once; after this the Directory does. */
export const GRANT_DUE_AFTER_MS = 10_000;

/** So long after it was made, a key is shown again to the form that made it: a second press hides none. */
export const KEY_SHOWN_AGAIN_MS = 10_000;
