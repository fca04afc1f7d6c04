// The floor of what Continuo can cost here: a bare Worker that makes an empty object call before it
// sends the request on, and another after the answer. No key, no check, no Hold, no write.
import { DurableObject } from "cloudflare:workers";

interface Bindings {
  EMPTY: DurableObjectNamespace<Empty>;
  ENGINE: Fetcher;
  UPSTREAM: string;
}

export class Empty extends DurableObject {
  async call(): Promise<void> {}
}

// biome-ignore lint/style/noDefaultExport: the runtime takes a Worker from the default export
export default {
  async fetch(request: Request, env: Bindings, context: ExecutionContext): Promise<Response> {
    const person = request.headers.get("authorization") ?? "";
    const object = env.EMPTY.get(env.EMPTY.idFromName(person));
    await object.call();
    const { pathname } = new URL(request.url);
    const answer = await env.ENGINE.fetch(new Request(`${env.UPSTREAM}${pathname}`, request));
    context.waitUntil(object.call());
    return answer;
  },
};
