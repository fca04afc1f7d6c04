// Takes the reporter's webhooks as the Worker does: verified by Standard Webhooks' own package.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

interface Report {
  type: string;
  timestamp: string;
  data: {
    model: string;
    container: string;
    sequence: number;
    uptime_ms: number;
    gpu: string;
    gpu_count: number;
    started_at: string;
    metrics: Record<string, number> | null;
  };
}

/** Takes reports, answers 503, or never answers. */
type Mood = "takes" | "refuses" | "hangs";

export interface ReportReceiver {
  url: string;
  mood: Mood;
  /** Taken and verified, in the order of their arrival. */
  reports: Report[];
  /** Every try, also those that were refused. */
  tries: { id: string; path: string; body: string }[];
  problems: unknown[];
  close(): void;
}

export async function receiveReports(secret: string): Promise<ReportReceiver> {
  const webhook = new Webhook(secret);
  const receiver: ReportReceiver = {
    url: "",
    mood: "takes",
    reports: [],
    tries: [],
    problems: [],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    receiver.tries.push({ id: headers["webhook-id"] ?? "", path: request.url ?? "", body });
    if (receiver.mood === "hangs") return;
    try {
      const report = webhook.verify(body, headers) as Report;
      if (receiver.mood === "takes") receiver.reports.push(report);
    } catch (problem) {
      receiver.problems.push(problem);
    }
    response.writeHead(receiver.mood === "takes" ? 204 : 503).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

async function text(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  return body;
}
