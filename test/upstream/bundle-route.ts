// The scripted backend's route for several Completions at once: each line is a request of its own to
// the backend itself, so that its script and what is seen of it are those of a single one.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export async function answerBundle(
  { headers, socket }: IncomingMessage,
  lines: readonly string[],
  response: ServerResponse,
): Promise<void> {
  const { port } = socket.address() as AddressInfo;
  const left = new AbortController();
  response.on("close", () => left.abort());
  response.writeHead(200, { "content-type": "application/vnd.continuo.bundle" });
  response.flushHeaders();
  const ask = async (body: string, line: number): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/completions`, {
      ...{ method: "POST", body, signal: left.signal },
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const head = JSON.stringify({ line, status: answer.status, bytes: bytes.length });
    response.write(Buffer.concat([Buffer.from(`${head}\n`), bytes, Buffer.from("\n")]));
  };
  await Promise.all(lines.map(ask));
  response.end();
}
