// Somebody's endpoint: it notes what comes, and answers as it is told.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { type OnLoopback, onLoopback } from "../upstream/on-loopback.ts";
import { until } from "./until.ts";

interface Message {
  headers: IncomingHttpHeaders;
  body: string;
}

interface EventBody {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export class WebhookReceiver {
  readonly seen: Message[] = [];
  readonly #server: OnLoopback;
  status = 204;

  private constructor(server: OnLoopback) {
    this.#server = server;
  }

  static async start(): Promise<WebhookReceiver> {
    const started: { receiver?: WebhookReceiver } = {};
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const { receiver } = started;
      receiver?.seen.push({ headers: request.headers, body });
      response.writeHead(receiver?.status ?? 503).end();
    });
    const receiver = new WebhookReceiver(await onLoopback(server));
    started.receiver = receiver;
    return receiver;
  }

  get url(): string {
    return `${this.#server.url}/hooks`;
  }

  close(): void {
    this.#server.close();
  }

  /** The first message of this type, once it has come and if the secret signed it. */
  async event(type: string, secret: string): Promise<EventBody & { id: string }> {
    const seen = () =>
      Promise.resolve(this.seen.filter(({ body }) => JSON.parse(body).type === type));
    const [message] = await until(`an event ${type}`, seen, ({ length }) => length > 0);
    if (message === undefined) throw new Error("nothing has come");
    const verified = new Webhook(secret).verify(
      message.body,
      message.headers as Record<string, string>,
    );
    return { ...(verified as EventBody), id: String(message.headers["webhook-id"]) };
  }
}
