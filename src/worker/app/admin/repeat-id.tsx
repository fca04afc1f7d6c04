import type { Child } from "hono/jsx";
import { z } from "zod";

/** Drawn when the form is shown: sending it twice, however that comes, is one change. */
export function RepeatId(): Child {
  return <input type="hidden" name="id" value={crypto.randomUUID().replaceAll("-", "")} />;
}

export const repeatId = z
  .string("Open the page and send the form from there.")
  .regex(/^[0-9a-z]{1,64}$/, "Open the page and send the form from there.");
