// Where somebody wanted to go before they signed in: a page of ours, or Home.

/** Longer ones do not fit beside the rest in the cookie of a sign-in in progress. */
const RETURN_PATH_MAX_CHARACTERS = 1_000;

/** The path and query if they lead to this origin, else `/`: nobody is sent elsewhere from here. */
export function returnPath(asked: string | undefined, origin: string): string {
  if (asked === undefined || !asked.startsWith("/") || !URL.canParse(asked, origin)) return "/";
  const url = new URL(asked, origin);
  const path = url.pathname + url.search;
  // `/.//elsewhere` has this origin, and a path that a browser would read as another host.
  const isHere = url.origin === origin && !/^\/[/\\]/.test(path);
  const isLoop = /^\/sign-(in|out)(\/|\?|$)/.test(path);
  return isHere && !isLoop && path.length <= RETURN_PATH_MAX_CHARACTERS ? path : "/";
}
