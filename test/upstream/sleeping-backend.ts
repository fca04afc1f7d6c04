// A backend that is not there until a test says so, as a container that has not started. What comes
// meanwhile is counted: a start that nobody asked for costs money.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Asked, Sleeping } from "./sleeping.ts";

const rightAnswer = {
  ...{ id: "cmpl-1", object: "text_completion", created: 1, model: "served" },
  choices: [
    {
      ...{ index: 0, text: " w", finish_reason: "length", stop_reason: null },
      logprobs: { tokens: ["token_id:1"], token_logprobs: [-1] },
    },
  ],
  usage: { prompt_tokens: 1, total_tokens: 2, completion_tokens: 1 },
};

export async function startSleepingBackend(): Promise<{ url: string; close: () => void }> {
  const state: Sleeping = { health: 503, completions: 503, running: 0, tokens: 0 };
  const asked: Asked = { health: 0, completions: 0, metrics: 0 };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const answer = (status: number, text: string) =>
        response.writeHead(status, { "content-type": "application/json" }).end(text);
      switch (request.url) {
        case "/test":
          Object.assign(state, JSON.parse(body));
          return answer(200, JSON.stringify(asked));
        case "/test/forget":
          Object.assign(asked, { health: 0, completions: 0, metrics: 0 });
          return answer(200, "{}");
        case "/health":
          asked.health += 1;
          return answer(state.health, "");
        case "/metrics":
          asked.metrics += 1;
          return answer(
            200,
            `vllm:num_requests_running ${state.running}\n` +
              `vllm:generation_tokens_total ${state.tokens}\nvllm:prompt_tokens_total 0\n`,
          );
        default:
          asked.completions += 1;
          return answer(state.completions, JSON.stringify(rightAnswer));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
