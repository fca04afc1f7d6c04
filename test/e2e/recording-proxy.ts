// Stands between gateway and engine, passes everything on, and keeps what the gateway sent.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { Stack } from "./stack-process.ts";

interface SentUpstream {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RecordingProxy {
  url: string;
  sent: SentUpstream[];
  close(): void;
}

export async function startRecordingProxy({
  engine,
}: Pick<Stack, "engine">): Promise<RecordingProxy> {
  const sent: SentUpstream[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = "/", headers } = incoming;
    const record: SentUpstream = { path, headers, body: "" };
    // What the gateway asks on its own, whether the Model lives, is not what a client made it send.
    if (method !== "GET") sent.push(record);
    const onward = send(engine + path, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.on("data", (bytes: Buffer) => {
      record.body += bytes.toString();
    });
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
