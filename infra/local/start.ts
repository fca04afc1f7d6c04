// `npm start`: the whole service on one machine, with no account anywhere. In this order: options,
// secrets, the built Worker, the engine, the OpenID provider, workerd, the first people, and what to
// do next.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { demoPeople, ensureDemoPeople } from "./demo-people.ts";
import { idleSeconds, LOCAL_MODEL, type RunningEngine, startEngine } from "./engine-process.ts";
import {
  forget,
  type LocalSecrets,
  objectsFolder,
  readSecrets,
  writeSecrets,
} from "./local-secrets.ts";
import { type RunningProvider, startOpenIdProvider } from "./openid-provider/openid-provider.ts";
import { type LocalOptions, readOptions, StartProblem } from "./options.ts";
import { reservePort } from "./reserved-port.ts";
import { ENGINE_BINDING, type RunningWorker, startWorker } from "./worker-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where to look while editing, and how long to gather changes before a build. */
const WATCHED = ["src", "docs", "infra/models.json"];
const WATCH_GATHER_MS = 100;

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if ("help" in options) {
    console.log(options.help);
    return;
  }
  options.data = resolve(options.data);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  if (options.reset) forget(options.data);
  const secrets = readSecrets(options.data);
  const forOpenId = await reservePort("openid-port", openidPort(options, secrets));
  const forWorker = await reservePort("port", options.port);
  secrets.openidPort = forOpenId.port;
  options.port = forWorker.port;
  writeSecrets(options.data, secrets);

  say("building the Worker and starting the engine …");
  const api = `http://127.0.0.1:${options.port}`;
  await forOpenId.release();
  const [, engine, openid] = await Promise.all([
    build(),
    startEngine(options, secrets.engineKey),
    startOpenIdProvider({
      port: secrets.openidPort,
      apps: [api, `http://localhost:${options.port}`],
      people: demoPeople,
    }),
  ]);
  await forWorker.release();
  const worker = await startWorker({
    port: options.port,
    objects: objectsFolder(options.data),
    engine: engine.url,
    bindings: {
      ...bindings(options, secrets, engine),
      ...signInBindings(openid),
      ...redisBindings(),
    },
  });
  stopOnSignal(worker, engine, openid);

  const keys = await ensureDemoPeople(api, secrets, options.tokens);
  writeSecrets(options.data, { ...secrets, ...keys });
  if (options.watch) rebuildOnChange(worker, say);
  if (options.json) {
    const { memberKey: key, adminKey: admin_key } = keys;
    const addresses = { api: `${api}/v1`, app: api, openid: openid.issuer, engine: engine.url };
    const webhook_secret = secrets.webhookSecret;
    console.log(JSON.stringify({ ...addresses, key, admin_key, webhook_secret }));
  } else {
    console.log(welcome(api, keys));
  }
}

/** As it was before, since people are bound to it; beside the App's at first. */
function openidPort(options: LocalOptions, { openidPort: before }: LocalSecrets): number {
  return options.openidPort ?? before ?? (options.port === 0 ? 0 : options.port + 1);
}

function signInBindings(openid: RunningProvider): Record<string, string> {
  return {
    OIDC_ISSUER: openid.issuer,
    OIDC_CLIENT_ID: openid.clientId,
    OIDC_CLIENT_SECRET: openid.clientSecret,
    SUPPORT_CONTACT: "admin@example.org",
    ACCESS_CONTACT: "Sign in as admin@example.org and invite the address on the People page.",
  };
}

/** An Upstash Redis, or infra/local/redis, for the guard at the door to count with. */
function redisBindings(): Record<string, string> {
  const names = ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function bindings(
  options: LocalOptions,
  secrets: LocalSecrets,
  engine: RunningEngine,
): Record<string, string> {
  const { url, apiKey, servedName: served_name } = engine;
  const binding = url.startsWith("http:") ? ENGINE_BINDING : undefined;
  const backend = {
    ...{ url, served_name, binding, ...(apiKey !== null && { api_key: apiKey }) },
    ...{ idle_seconds: idleSeconds(options), usd_per_hour: options.usdPerHour },
  };
  const leaseMs = options.holdLeaseSeconds === null ? null : options.holdLeaseSeconds * 1_000;
  return {
    KEY_CHECK_SECRETS: secrets.keyCheckSecret,
    CACHE_SALT_SECRET: secrets.cacheSaltSecret,
    OPERATOR_KEY: secrets.operatorKey,
    REPORT_SECRETS: secrets.reportSecret,
    WEBHOOK_SECRETS: secrets.webhookSecret,
    // Whoever tries them has a receiver on this machine.
    WEBHOOKS_TO_LOOPBACK: "true",
    BACKENDS: JSON.stringify({
      [LOCAL_MODEL]: backend,
      ...(options.secondModel !== null && { [options.secondModel]: backend }),
    }),
    ...(options.coldHoldSeconds !== null && {
      COLD_HOLD_SECONDS: String(options.coldHoldSeconds),
    }),
    ...(leaseMs !== null && {
      HOLD_LEASE_MS: String(leaseMs),
      HOLD_RENEW_MS: String(Math.floor(leaseMs / 3)),
    }),
  };
}

async function build(): Promise<void> {
  const child = spawn(process.execPath, ["tools/build.ts", "--if-stale"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new StartProblem("The Worker does not build; the lines above say why.");
}

function stopOnSignal(
  ...running: readonly (RunningWorker | RunningEngine | RunningProvider)[]
): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await Promise.allSettled(running.map((one) => one.stop()));
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // Miniflare's own listener would end the process at once, with the engine still running.
    process.removeAllListeners(signal);
    process.on(signal, () => void stop());
  }
}

function rebuildOnChange(worker: RunningWorker, say: (line: string) => void): void {
  let gathering = false;
  const rebuild = async () => {
    gathering = false;
    try {
      await build();
      await worker.reload();
      say(`reloaded at ${new Date().toLocaleTimeString()}`);
    } catch (failure) {
      say(failure instanceof Error ? failure.message : String(failure));
    }
  };
  for (const path of WATCHED) {
    watch(resolve(root, path), { recursive: true }, () => {
      if (gathering) return;
      gathering = true;
      setTimeout(() => void rebuild(), WATCH_GATHER_MS);
    });
  }
}

function welcome(api: string, keys: { memberKey: string; adminKey: string }): string {
  return `
Continuo is ready.

  App        ${api}
  API        ${api}/v1
  Key        ${keys.memberKey}   (researcher@example.org)
  Admin key  ${keys.adminKey}   (admin@example.org)

Sign in to the App as ${demoPeople.map(({ email }) => email).join(", ")}.

Try it:

  curl ${api}/v1/completions \\
    -H "Authorization: Bearer ${keys.memberKey}" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "${LOCAL_MODEL}", "prompt": "Call me", "max_tokens": 24}'

Ctrl-C stops it; the data stays. npm start -- --reset forgets it.`;
}

main().catch((failure: unknown) => {
  if (failure instanceof StartProblem) console.error(failure.message);
  else console.error(failure);
  process.exit(1);
});
