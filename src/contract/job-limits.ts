// The bounds of Jobs, each with its reason.

/** As OpenAI's batches; each item is a line of some hundred bytes in the store. */
export const JOB_ITEMS_MOST = 50_000;
export const JOB_INPUT_MAX_BYTES = 200 * 1024 * 1024;

/**
 * A JSON body is parsed whole, and an isolate has 128 MB: text, values and what else runs there. More
 * than this goes as lines, which are read one by one.
 */
export const JOB_JSON_MAX_BYTES = 16 * 1024 * 1024;

/** As much as one live Completion's body may have. */
export const JOB_LINE_MAX_BYTES = 8 * 1024 * 1024;

/** An id to find a line by; it is repeated in its result. */
export const CUSTOM_ID_MAX_CHARACTERS = 256;

/**
 * A slice's items: what runs again when its worker dies. Each slice has its reads and writes in the
 * store, which cost as much as thirty small items do.
 */
export const SLICE_ITEMS_MOST = 512;

/** And the tokens that these may generate: the grain at which people take turns. */
export const SLICE_TOKENS_MOST = 8_192;

/** And its input's bytes, which the worker reads whole. */
export const SLICE_MAX_BYTES = 1024 * 1024;

/** A slice's answers are kept until all are there; an item that may have more is a slice of its own. */
export const SLICE_ANSWER_MAX_BYTES = 8 * 1024 * 1024;

/** An invocation may wait for the headers of six connections at once. */
export const TURN_CALLS = 6;

/**
 * Of these, answers that flow into the store: each has three parts of 5 MB in memory where the store is
 * slower than the backend, and six of them would fill an isolate's 128 MB.
 */
export const TURN_LARGE_ITEMS = 2;

/** A turn ends after so long, so that others come: far below the 15 minutes that a consumer may run. */
export const TURN_MS = 10_000;

/**
 * What of a slice has not begun so long after its turn's end goes back, so that a turn of slow items
 * ends too; what has begun by then has the rest of the 15 minutes, short of what an end takes.
 */
export const TURN_GRACE_MS = 5_000;
export const ITEM_UNTIL_MS = 780_000;

/** A worker asks so often whether it may go on: so a cancelled Job's calls end within seconds. */
export const CLAIM_RENEW_MS = 1_500;

/**
 * A ticket, or a slice, that was not renewed for so long is given to another: a worker that lives
 * renews every second or two, and after a crash its Jobs should not stand still for minutes.
 */
export const TICKET_LEASE_MS = 30_000;

/**
 * Where an isolate serves live Completions of the Model too, each call of a Job lets them go before for
 * so long, which is far above the time between two of a busy client's; then it has its turn.
 */
export const LIVE_FIRST_MS = 250;

/** A live Completion that came or went so lately has another one behind it, mostly. */
export const LIVE_RECENT_MS = 100;

/** A ticket that was sent and not begun for so long is sent again: its message may be lost. */
export const TICKET_BEGIN_MS = 20_000;

/** While turns run, a Model's state is asked for again so often, which also says that it is used. */
export const MODEL_STATUS_EVERY_MS = 4_000;

/** And so often while new GPU work is paused: nobody tells a Dispatcher that it goes on. */
export const SPEND_PAUSE_RETRY_MS = 30_000;

/** One wait for a Cold Model, after which it is asked for again: longer than the largest takes. */
export const JOBS_WAIT_WARM_MS = 1_200_000;

/** A Job whose turn found nothing to claim gets none for so long, unless it says that it has work. */
export const DRAINED_REST_MS = 1_000;

/** A backend's fault is tried again so often, with waits that double from this. */
export const ITEM_ATTEMPTS_MOST = 5;
export const ITEM_RETRY_AFTER_MS = 1_000;

/** For a backend without room an item waits as long as its turn may; at most so long between two tries. */
export const OVERLOAD_RETRY_MOST_MS = 30_000;

/** A slice whose workers died so often is worked off no more: its items fail, and the Job ends. */
export const SLICE_ATTEMPTS_MOST = 10;

/** A Job that waits for tokens tries again so often, should the word that there are some be lost. */
export const PAUSE_RETRY_MS = 60_000;

/** Input, results and files are kept so long after a Job's end or a file's upload. */
export const JOB_KEPT_DAYS = 30;

/** So many kinds of failure are listed with their counts; a page with more would not be read. */
export const JOB_ERROR_GROUPS_MOST = 20;

/** What one person may have under way; a script that submits in a loop is told so. */
export const JOBS_UNENDED_MOST = 1_000;

/** What a slice's broken worker waits for, doubled each time: the store or an object may be away. */
export const SLICE_REST_MS = 1_000;

/** A Job that waits for what the person's own running requests hold asks again so often. */
export const HELD_RETRY_MS = 1_000;

/** And is shown as paused when it has waited so long for that. */
export const HELD_SHOWN_AFTER_MS = 10_000;

/** The rate that a Job's end is foreseen by is that of so long. */
export const RATE_WINDOW_JOB_MS = 180_000;

/**
 * A turn that comes so long after the word that the Model waits shows that the word of its end was
 * lost: no turn that was out then still claims anything.
 */
export const MODEL_WAIT_DOUBTED_MS = 30_000;

/**
 * The Account keeps a slice's ending until it is told to forget it. Attempts that came to nothing end
 * by their leases, so it is told when all have: a slow worker notices within seconds.
 */
export const FORGET_AFTER_MS = 300_000;

/** Uploads that one person keeps at a time: one page of the list, and at most 40 GB. */
export const FILES_MOST = 200;

/** As OpenAI's; longer ones are no keys but contents. */
export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255;

/** As OpenAI's: what a script tags its batches with. */
export const METADATA_PAIRS_MOST = 16;
export const METADATA_KEY_MAX_CHARACTERS = 64;
export const METADATA_VALUE_MAX_CHARACTERS = 512;
export const COMPLETION_WINDOW_MAX_CHARACTERS = 32;
