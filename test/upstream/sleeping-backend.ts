// A backend that is not there until a test says so, as a container that has not started. What comes
// meanwhile is counted: a start that nobody asked for costs money.
import { createServer } from "node:http";
import { type OnLoopback, onLoopback } from "./on-loopback.ts";
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

class Part {
  readonly state: Sleeping = { health: 503, completions: 503, running: 0, tokens: 0 };
  readonly asked: Asked = { health: 0, completions: 0, metrics: 0 };

  /** What it answers at this path; `/test` and `/test/forget` are the test's. */
  answer(path: string, body: string): [status: number, text: string] {
    const { state, asked } = this;
    switch (path) {
      case "/test":
        Object.assign(state, JSON.parse(body));
        return [200, JSON.stringify(asked)];
      case "/test/forget":
        Object.assign(asked, { health: 0, completions: 0, metrics: 0 });
        return [200, "{}"];
      case "/health":
        asked.health += 1;
        return [state.health, ""];
      case "/metrics":
        asked.metrics += 1;
        return [200, metricsOf(state)];
      default:
        asked.completions += 1;
        return [state.completions, JSON.stringify(rightAnswer)];
    }
  }
}

function metricsOf({ running, tokens }: Sleeping): string {
  return `vllm:num_requests_running ${running}
vllm:generation_tokens_total ${tokens}
vllm:prompt_tokens_total 0
`;
}

/** The first part of a path names the backend, each with a state of its own. */
export async function startSleepingBackend(): Promise<OnLoopback> {
  const parts = new Map<string, Part>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const [, name = "", path = ""] = /^\/([^/]*)(.*)$/.exec(request.url ?? "") ?? [];
      const part = parts.get(name) ?? new Part();
      parts.set(name, part);
      const [status, text] = part.answer(path, body);
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    });
  });
  return await onLoopback(server);
}
