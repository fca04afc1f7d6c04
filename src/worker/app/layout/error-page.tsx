// Errors as a person sees them: what happened and what to do, inside the layout.
import type { Context } from "hono";
import { errorCatalogue } from "../../../contract/errors.ts";
import type { AppEnv } from "../../environment.ts";
import { defect, Refused } from "../../refuse.ts";
import { page } from "./page.tsx";

export interface ErrorPageOptions {
  status: number;
  title: string;
  /** One sentence that says what to do. */
  message: string;
  /** Where to go on; Home if absent. */
  link?: { href: string; title: string };
}

export function errorPage(
  c: Context<AppEnv>,
  options: ErrorPageOptions,
): Response | Promise<Response> {
  const { status, title, message, link = { href: "/", title: "Home" } } = options;
  const content = (
    <div class="problem">
      <h1>{title}</h1>
      <p>{message}</p>
      {status >= 500 ? <p class="quiet">Request id: {c.get("frame").requestId}</p> : null}
      <p>
        <a href={link.href}>{link.title}</a>
      </p>
    </div>
  );
  return page(c, { title, status }, content);
}

/** The `onError` of the App's pages: a refusal or a defect as a page. */
export function failurePage(failure: Error, c: Context<AppEnv>): Response | Promise<Response> {
  if (failure instanceof Refused) {
    const { status } = errorCatalogue[failure.error.code];
    const { retryAfterMs } = failure.error;
    if (retryAfterMs !== undefined) c.header("retry-after", String(Math.ceil(retryAfterMs / 1000)));
    return errorPage(c, { status, title: titleOf(status), message: failure.error.message });
  }
  const { requestId } = c.get("frame");
  console.error({ event: "defect", requestId, failure: String(failure), stack: failure.stack });
  return errorPage(c, { status: 500, title: titleOf(500), message: defect.message });
}

/** Of an address of the App where nothing is. */
export function notFoundPage(c: Context<AppEnv>): Response | Promise<Response> {
  const message = "There is no such page. It may have been moved, or its address is cut off.";
  return errorPage(c, { status: 404, title: titleOf(404), message });
}

function titleOf(status: number): string {
  if (status === 403) return "You may not do this";
  if (status === 404) return "Not found";
  if (status === 409) return "It has changed meanwhile";
  if (status === 429) return "Not now";
  return status >= 500 ? "Something went wrong" : "This could not be done";
}
