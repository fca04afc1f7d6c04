// What the engine gives clients that stand right before it.
import { Agent, request } from "node:http";

export interface Sent {
  url: string;
  key: string;
  body: object;
}

/** Resolves with the answer's text. Rejects unless its status is 200. */
export function post({ url, key, body }: Sent, agent: Agent): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return new Promise((answer, fail) => {
    const call = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        if (response.statusCode === 200) answer(text);
        else fail(new Error(`${response.statusCode} ${text}`));
      });
    });
    call.on("error", fail);
    call.end(JSON.stringify(body));
  });
}

/** So many requests by so many clients, as fast as they come back; requests a second. */
export async function rate(
  count: number,
  clients: number,
  ask: (at: number, agent: Agent) => Promise<unknown>,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      await ask(at, agent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return count / ((performance.now() - began) / 1_000);
}
