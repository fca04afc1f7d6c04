// The load's own process: what it costs stays apart from the targets and from the measuring side.
import { drive } from "./drive.ts";
import type { Job, JobAnswer } from "./job.ts";

process.on("message", (job: Job) => {
  drive(job).then(
    (result) => answer({ ok: true, result }),
    (error: unknown) => answer({ ok: false, message: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));

function answer(message: JobAnswer): void {
  process.send?.(message);
}
