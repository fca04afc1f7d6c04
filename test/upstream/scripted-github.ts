// GitHub as its secret scanning programme shows itself to a partner: it publishes public keys, and
// signs what it sends. A test asks for a signature here, and sends it on.
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { type OnLoopback, onLoopback } from "./on-loopback.ts";

const pairs = ["one", "two", "unpublished"].map((name) => {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { name, ...pair, identifier: createHash("sha256").update(name).digest("hex") };
});

/** GitHub's own, as it publishes it: the sample in its docs is signed with it. */
const ofGithub = {
  key_identifier: "bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c",
  key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd
AjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==
-----END PUBLIC KEY-----
`,
  is_current: true,
};

export async function startScriptedGithub(): Promise<OnLoopback> {
  let asked = 0;
  let authorization: string | null = null;
  const server = createServer(async (request, response) => {
    const [, verb, name] = (request.url ?? "").split("/");
    const answer = (body: object) => response.end(JSON.stringify(body));
    if (verb === "keys") {
      asked += 1;
      authorization = request.headers.authorization ?? null;
      if (request.headers["user-agent"] === undefined) response.writeHead(403);
      return answer({ public_keys: published() });
    }
    if (verb === "asked") return answer({ asked, authorization });
    const pair = pairs.find((one) => one.name === name);
    if (verb !== "sign" || pair === undefined) return response.writeHead(404).end();
    const signature = sign("sha256", await bodyOf(request), pair.privateKey).toString("base64");
    return answer({ identifier: pair.identifier, signature });
  });
  return await onLoopback(server);
}

function published() {
  const own = pairs
    .filter(({ name }) => name !== "unpublished")
    .map(({ identifier, publicKey }) => ({
      key_identifier: identifier,
      key: publicKey.export({ type: "spki", format: "pem" }),
      is_current: true,
    }));
  return [...own, ofGithub];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
