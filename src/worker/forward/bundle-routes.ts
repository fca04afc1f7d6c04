// Which backends have no route for several Completions at once. Kept by each isolate for a while: a
// backend is asked again, since it may have been started anew with the route.

/** One call in so long that is answered 404. */
const ASKED_AGAIN_AFTER_MS = 60_000;

const withoutUntil = new Map<string, number>();

export function mayHaveBundles(modelId: string, now: number): boolean {
  return now >= (withoutUntil.get(modelId) ?? 0);
}

export function noteWithoutBundles(modelId: string, now: number): void {
  withoutUntil.set(modelId, now + ASKED_AGAIN_AFTER_MS);
}
