// A refusal while an upload is still coming: HTTP clients write first and read the answer after, and a
// connection that is closed under them is all they would see.
import { readBytes } from "./job-lines.ts";

/** Rejects as `work` does, after what is left of the request's body has gone by. */
export async function refuseAfterBody<T>(request: Request, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    // No more than a whole upload; who sends on sees the connection close.
    if (request.body !== null) await readBytes(request.body, async () => {}).catch(() => undefined);
    throw failure;
  }
}
