// Serves a built Worker the way infra/local/worker-process.ts serves Continuo's: in workerd, on the
// Worker's own socket. What differs between the two is then the Worker alone.
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

const [modulesRoot = ".", path = "worker.js", port = "0", upstream = "", objectClass = ""] =
  process.argv.slice(2);

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    log: new Log(LogLevel.ERROR),
    telemetry: { enabled: false },
    workers: [
      {
        name: "bare-worker",
        compatibilityDate: "2026-11-01",
        compatibilityFlags: ["enable_request_signal"],
        modulesRoot,
        modules: [{ type: "ESModule", path }],
        bindings: { UPSTREAM: upstream },
        serviceBindings: { ENGINE: { external: { address: new URL(upstream).host, http: {} } } },
        ...(objectClass === "" ? {} : { durableObjects: { EMPTY: objectClass } }),
        unsafeDirectSockets: [{ host: "127.0.0.1", port: Number(port) }],
      },
    ],
  }),
);
await miniflare.ready;
console.log(JSON.stringify({ ready: true }));
