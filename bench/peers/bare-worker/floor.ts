// The floor of what Continuo can cost here: a bare Worker that asks of the runtime what the contract
// does, and decides nothing. It reads the body, asks an object in as many bytes as an admission has,
// notices a client that leaves, bounds the backend's call by a timer, and answers with all headers. No
// key, no check, no Hold, no write; a settlement rides with the next call, so it costs none here.
import { DurableObject } from "cloudflare:workers";
import { answerHeaders } from "../../../src/contract/headers.ts";

interface Bindings {
  EMPTY: DurableObjectNamespace<Empty>;
  ENGINE: Fetcher;
  UPSTREAM: string;
}

/** About what an admission has that takes a settlement along. */
const REQUEST_CHARACTERS = 400;
const ANSWER_CHARACTERS = 300;
const CALL_MOST_MS = 60_000;
/** What is larger, or a stream, is sent on as it comes. */
const SMALL_ANSWER_BYTES = 65_536;

const asked = "x".repeat(REQUEST_CHARACTERS);
const answered = "x".repeat(ANSWER_CHARACTERS);

const headers = Object.fromEntries(
  Object.entries(answerHeaders)
    .filter(([, { on }]) => ["every answer", "answers to a key", "Completions"].includes(on))
    .map(([name]) => [name, "0123456789abcdef"]),
);

export class Empty extends DurableObject {
  async call(_: string): Promise<string> {
    return answered;
  }
}

async function answer(request: Request, env: Bindings): Promise<Response> {
  const body = await request.arrayBuffer();
  const upstream = new AbortController();
  const leave = () => upstream.abort();
  request.signal.addEventListener("abort", leave, { once: true });
  const person = request.headers.get("authorization") ?? "";
  await env.EMPTY.get(env.EMPTY.idFromName(person)).call(asked);
  const timer = setTimeout(leave, CALL_MOST_MS);
  const { pathname } = new URL(request.url);
  const response = await env.ENGINE.fetch(`${env.UPSTREAM}${pathname}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    signal: upstream.signal,
  });
  const bytes = Number(response.headers.get("content-length") ?? Number.NaN);
  const sent = bytes <= SMALL_ANSWER_BYTES ? await response.arrayBuffer() : response.body;
  clearTimeout(timer);
  request.signal.removeEventListener("abort", leave);
  return new Response(sent, { headers: { ...headers, "content-type": "application/json" } });
}

// biome-ignore lint/style/noDefaultExport: the runtime takes a Worker from the default export
export default {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response> {
    // As Continuo does: else the runtime drops what a client left, and with it the settlement.
    const answering = answer(request, env);
    context.waitUntil(answering);
    return answering;
  },
};
