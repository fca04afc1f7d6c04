// What of a slice has begun, and so stays with it when it is cut short.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { servicesOf } from "../../../src/worker/environment.ts";
import { CallPool } from "../../../src/worker/jobs/call-pool.ts";
import { ItemRunner } from "../../../src/worker/jobs/item-runner.ts";
import { judgeItems } from "../../../src/worker/jobs/judge-items.ts";
import { SliceLines } from "../../../src/worker/jobs/slice-result.ts";

const bindings = env as unknown as ConstructorParameters<typeof ItemRunner>[0]["setting"]["env"];

test("a slice whose calls have no place yet is cut short as a whole, though an item behind them is refused", async () => {
  const services = servicesOf(env);
  const bodies = [{ prompt: "one" }, { prompt: "two" }, { prompt: "" }];
  const items = bodies.map((body, index) => {
    return { index, offset: index, customId: `${index}`, body: { model: "local", ...body } };
  });
  const claim = {
    ...{ slice: { from: 0, items: 3, offset: 0, bytes: 3, large: false }, inputKey: "input" },
    ...{ attempt: 1, holdId: "hold", personId: "ada", keyId: "key", model: "local" },
    failAll: false,
  };
  const pool = new CallPool(1);
  const place = Promise.withResolvers<void>();
  const taken = pool.run(1, () => place.promise);
  const stopper = new AbortController();
  const runner = new ItemRunner({
    setting: { env: bindings, services, pool, until: Date.now(), onNotReady: () => undefined },
    ...{ claim, lines: new SliceLines("job", claim), signal: stopper.signal },
    ...{ halt: () => undefined, onFull: () => undefined },
  });
  runner.items = judgeItems(items, { served: services.models.get("local"), failAll: false });
  expect(runner.items.map(({ kind }) => kind)).toEqual(["runnable", "runnable", "refused"]);
  const ran = runner.run();
  expect(runner.cut()).toBe("nothing_begun");
  stopper.abort();
  place.resolve();
  await Promise.all([taken, ran]);
});
