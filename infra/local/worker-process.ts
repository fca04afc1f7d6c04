// The built Worker in workerd, its objects on disk. Clients talk to workerd's own socket for the
// Worker, not to the development proxy, which would be the slowest part of the way.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

const root = fileURLToPath(new URL("../..", import.meta.url));
const built = join(root, "dist");

export interface RunningWorker {
  /** Loads dist/ again, after a build. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A socket of workerd's own that leads to the engine. Miniflare sends whatever else a Worker fetches
 * through a Worker of its own, which would be measured with ours.
 */
export const ENGINE_BINDING = "ENGINE";

interface WorkerSettings {
  port: number;
  /** The folder of the objects' databases. */
  objects: string;
  bindings: Record<string, string>;
  /** The engine's URL; reached through `ENGINE_BINDING` if it is plain HTTP. */
  engine: string;
}

export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const miniflare = new Miniflare(workerdOptions(settings));
  await miniflare.ready;
  return {
    reload: () => miniflare.setOptions(workerdOptions(settings)),
    stop: () => miniflare.dispose(),
  };
}

/** Miniflare hands over one batch at a time, so turns that run beside each other come in one. */
const TURNS_AT_ONCE = 32;

function workerdOptions({ port, objects, bindings, engine }: WorkerSettings) {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
  // The build has bundled everything; what is left beside it is text.
  const { modulesRules: _, ...deployed } = workerOptions;
  return convertV4MiniflareOptions({
    log: new Log(LogLevel.ERROR),
    resourcePersistencePath: objects,
    telemetry: { enabled: false },
    workers: [
      {
        ...deployed,
        name: "continuo",
        modulesRoot: built,
        modules: builtModules(),
        bindings,
        queueConsumers: turnsBesideEachOther(deployed.queueConsumers),
        serviceBindings: {
          [ENGINE_BINDING]: { external: { address: new URL(engine).host, http: {} } },
        },
        unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      },
    ],
  });
}

function turnsBesideEachOther(consumers: unknown) {
  const each = Object.entries(consumers ?? {}).map(([queue, consumer]) => {
    return [queue, Object.assign({}, consumer, { maxBatchSize: TURNS_AT_ONCE })];
  });
  return Object.fromEntries(each);
}

/** main.js first: the first module is the one that workerd starts. */
function builtModules() {
  // Folders have what was bundled on the way.
  const files = readdirSync(built, { withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files
    .map(({ name }) => name)
    .filter((name) => !["main.js", "main.js.map", "README.md"].includes(name));
  return [
    { type: "ESModule" as const, path: join(built, "main.js") },
    ...texts.map((name) => ({ type: "Text" as const, path: join(built, name) })),
  ];
}
