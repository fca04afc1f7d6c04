// Stands between gateway and engine, passes everything on, and keeps what the gateway sent.
import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import { type OnLoopback, onLoopback } from "../upstream/on-loopback.ts";
import type { Stack } from "./stack-process.ts";

interface SentUpstream {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RecordingProxy extends OnLoopback {
  sent: SentUpstream[];
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
  return { ...(await onLoopback(server)), sent };
}
