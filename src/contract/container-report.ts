// What the reporter beside vLLM posts to /webhooks/inference, signed as Standard Webhooks says
// (https://www.standardwebhooks.com). infra/reporter/reporter.py makes it; nothing else does.
import { z } from "zod";

/** Random and drawn by the reporter; the lengths keep a report below `REPORT_MAX_BYTES`. */
const containerId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const count = z.int().nonnegative();
const time = z.iso.datetime({ offset: true });

const Metrics = z.object({
  running: count,
  waiting: count,
  /** Since the container began. */
  generation_tokens: count,
  prompt_tokens: count,
});

/** Not strict, so that a newer reporter may say more than this Worker knows. */
export const ContainerReport = z.object({
  type: z.enum(["container.started", "container.ready", "container.beat", "container.stopping"]),
  timestamp: time,
  data: z.object({
    model: z.string().min(1).max(128),
    container: containerId,
    /** One more with each report of this container. */
    sequence: count,
    /** By the container's own monotonic clock: its wall clock may be wrong, so costs never use that. */
    uptime_ms: count,
    gpu: z.string().min(1).max(64),
    gpu_count: count,
    started_at: time,
    /** Null when vLLM's /metrics could not be read. */
    metrics: Metrics.nullable(),
  }),
});

export type ContainerReport = z.infer<typeof ContainerReport>;

/** Far above what a report has; a larger body is none. */
export const REPORT_MAX_BYTES = 16_384;

/** A container that was silent for so long is gone: three beats. */
export const SILENT_AFTER_MS = 90_000;
