// When an object wakes for what it does elsewhere.
import { describe, expect, test } from "vitest";
import { Errand } from "../../src/durable-objects/errand.ts";
import { Errands } from "../../src/durable-objects/errands.ts";

/** An object whose alarm comes when the test says so, and the times that it was set for. */
function objectWith(errand: Errand) {
  const alarms: number[] = [];
  const storage = { setAlarm: async (at: number) => void alarms.push(at) };
  const context = { storage, waitUntil: () => undefined } as unknown as DurableObjectState;
  return { errands: new Errands(context, [errand]), alarms };
}

describe("an object with a call that is out", () => {
  test("looks after it now and then, and not at once each time, however long it takes", () => {
    const endless = new Errand({
      ...{ what: "endless", wantedAt: () => 0 },
      run: () => new Promise<void>(() => undefined),
    });
    const { errands, alarms } = objectWith(endless);
    errands.tend(1_000, () => null);
    expect(alarms).toEqual([31_000]);
    for (const now of [31_000, 61_000]) {
      errands.alarmCame();
      errands.tend(now, () => null);
    }
    expect(alarms).toEqual([31_000, 61_000, 91_000]);
  });
});
