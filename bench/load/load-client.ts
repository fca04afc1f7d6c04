// The measuring side's end of the load process. One job at a time: rounds never overlap.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Job, JobAnswer, JobResult } from "./job.ts";

export class LoadClient {
  readonly #child: ChildProcess;

  constructor() {
    const entry = fileURLToPath(new URL("./load-process.ts", import.meta.url));
    this.#child = fork(entry, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }

  async run(job: Job): Promise<JobResult> {
    const ended = new AbortController();
    const answered = once(this.#child, "message", { signal: ended.signal });
    const left = once(this.#child, "exit", { signal: ended.signal }).then(() => null);
    try {
      this.#child.send(job);
      const messages = await Promise.race([answered, left]);
      if (messages === null) throw new Error("the load process ended");
      const [answer] = messages as [JobAnswer];
      if (!answer.ok) throw new Error(answer.message);
      return answer.result;
    } finally {
      // The loser of the race would otherwise stay as a listener.
      left.catch(() => undefined);
      answered.catch(() => undefined);
      ended.abort();
    }
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
