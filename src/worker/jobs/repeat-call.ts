// A call of an object is repeated until it is answered: all that a consumer says is repeatable.

/** Together some seconds: an object that starts again is back sooner. */
const PAUSES_MS = [50, 200, 800, 3_200];

export async function repeatCall<T>(call: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await call();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return await call();
}
