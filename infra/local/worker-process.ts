// The built Worker in workerd, its objects on disk. Clients talk to workerd's own socket for the
// Worker, not to the development proxy, which would be the slowest part of the way.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface RunningWorker {
  /** Loads dist/ again, after a build. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorker(settings: {
  port: number;
  objects: string;
  bindings: Record<string, string>;
}): Promise<RunningWorker> {
  const miniflare = new Miniflare(workerdOptions(settings));
  await miniflare.ready;
  return {
    reload: () => miniflare.setOptions(workerdOptions(settings)),
    stop: () => miniflare.dispose(),
  };
}

function workerdOptions({ port, objects, bindings }: Parameters<typeof startWorker>[0]) {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
  return convertV4MiniflareOptions({
    log: new Log(LogLevel.ERROR),
    resourcePersistencePath: objects,
    telemetry: { enabled: false },
    workers: [
      {
        ...workerOptions,
        name: "continuo",
        modules: true,
        rootPath: join(root, "dist"),
        modulesRoot: join(root, "dist"),
        scriptPath: join(root, "dist/main.js"),
        bindings,
        unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      },
    ],
  });
}
