// An operator's machine with nothing on it but this command and a stand-in for wrangler, an account
// whose state is a file, and a server that answers as the deployment would.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import type { FakeAccount } from "./cloudflare-fake-wrangler.ts";

const backends = { local: { url: "https://gpu.example.org", api_key: "a-backend's-key" } };

/** A key that the deployment knows. */
const API_KEY = "the-operator's-own";

export class Operator {
  readonly folder = mkdtempSync(join(tmpdir(), "deploy-"));
  readonly secretsFile = join(this.folder, ".local/cloudflare/continuo.json");
  readonly backends = backends;
  account: FakeAccount;
  /** What the deployment answers, by path, to everybody without the key. */
  answers: Record<string, { status: number; body: unknown }> = {
    "/health": { status: 200, body: { status: "ok" } },
    "/openapi.json": { status: 200, body: { info: { version: packageFile.version } } },
    "/v1/models": { status: 401, body: { error: { code: "invalid_api_key" } } },
  };
  readonly #server: Server;
  readonly #accountFile = join(this.folder, "account.json");

  static async start(): Promise<Operator> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Operator(server);
  }

  private constructor(server: Server) {
    this.#server = server.on("request", (request, response) => {
      const known = request.headers.authorization === `Bearer ${API_KEY}`;
      const answer = this.answers[request.url ?? ""] ?? { status: 404, body: {} };
      const { status, body } = known ? { status: 200, body: { data: [] } } : answer;
      response.writeHead(status).end(JSON.stringify(body));
    });
    const { port } = server.address() as AddressInfo;
    this.account = {
      loggedIn: true,
      failure: null,
      secrets: null,
      buckets: [],
      queues: [],
      tag: null,
      code: "export default {}",
      address: `http://127.0.0.1:${port}`,
      calls: [],
    };
    const wrangler = join(this.folder, "bin/wrangler");
    mkdirSync(join(this.folder, "bin"));
    const fake = resolve("test/infra/cloudflare-fake-wrangler.ts");
    writeFileSync(wrangler, `#!/bin/sh\nexec "${process.execPath}" "${fake}" "$@"\n`);
    chmodSync(wrangler, 0o755);
    this.configure("");
  }

  /** Writes wrangler.toml, with these bindings. */
  configure(bindings: string): void {
    const file = join(this.folder, "wrangler.toml");
    writeFileSync(file, `name = "continuo"\nmain = "main.ts"\n${bindings}`);
  }

  giveBackends(): void {
    mkdirSync(join(this.folder, ".local/cloudflare"), { recursive: true });
    writeFileSync(this.secretsFile, JSON.stringify({ BACKENDS: backends }));
  }

  async deploy(...args: string[]): Promise<{ code: number; output: string }> {
    this.account.calls = [];
    writeFileSync(this.#accountFile, JSON.stringify(this.account));
    const child = spawn(process.execPath, [resolve("infra/cloudflare/deploy.ts"), ...args], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: `${join(this.folder, "bin")}:${process.env.PATH}`,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        HOME: this.folder,
        FAKE_ACCOUNT: this.#accountFile,
        CONTINUO_API_KEY: API_KEY,
        NO_COLOR: "1",
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    const [code] = (await once(child, "close")) as [number];
    this.account = JSON.parse(readFileSync(this.#accountFile, "utf8"));
    return { code, output };
  }

  leave(): void {
    this.#server.close();
    rmSync(this.folder, { recursive: true });
  }
}
