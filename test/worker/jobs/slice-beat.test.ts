// How a slice keeps what it has claimed.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { TICKET_LEASE_MS } from "../../../src/contract/job-limits.ts";
import type { ObjectBindings } from "../../../src/durable-objects/objects.ts";
import { servicesOf } from "../../../src/worker/environment.ts";
import { CallPool } from "../../../src/worker/jobs/call-pool.ts";
import { SliceRun } from "../../../src/worker/jobs/run-slice.ts";

test("a renewal that is never answered is made again while the lease lasts, and not at each beat", () => {
  let renewals = 0;
  const job = {
    renew: () => {
      renewals += 1;
      return new Promise(() => undefined);
    },
  };
  const bindings = { ...env, JOB: { idFromName: (name: string) => name, get: () => job } };
  const slice = new SliceRun(
    {
      ...{ env: bindings as unknown as ObjectBindings, services: servicesOf(env), jobId: "job" },
      ...{ pool: new CallPool(1), until: 0, onNotReady: () => undefined },
    },
    {
      ...{ slice: { from: 0, items: 1, offset: 0, bytes: 1, large: false }, inputKey: "input" },
      ...{ attempt: 1, holdId: "hold", personId: "ada", keyId: "key", model: "local" },
      failAll: false,
    },
  );
  const seen = [0, 1_500, 3_000, TICKET_LEASE_MS / 3, TICKET_LEASE_MS / 3 + 1_500].map((now) => {
    void slice.beat(now);
    return renewals;
  });
  expect(seen).toEqual([1, 1, 1, 2, 2]);
});
