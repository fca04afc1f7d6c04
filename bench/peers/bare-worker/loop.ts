// The most that a Job can reach here where each item is a call of its own: a bare Worker that makes the
// same calls in a loop, six at once, each to be aborted and with the headers that Continuo sends. It
// reads no input, takes no Hold and writes no result.
import { TURN_CALLS } from "../../../src/contract/job-limits.ts";

interface Bindings {
  ENGINE: Fetcher;
  UPSTREAM: string;
}

interface Asked {
  key: string;
  bodies: object[];
}

async function run(env: Bindings, { key, bodies }: Asked): Promise<void> {
  const { signal } = new AbortController();
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "application/json",
    "accept-encoding": "identity",
  };
  let next = 0;
  const place = async () => {
    for (let body = bodies[next]; body !== undefined; body = bodies[next]) {
      const requestId = `req_${crypto.randomUUID()}`;
      next += 1;
      const response = await env.ENGINE.fetch(`${env.UPSTREAM}/v1/completions`, {
        method: "POST",
        headers: { ...headers, "x-request-id": requestId },
        body: JSON.stringify(body),
        redirect: "manual",
        signal,
      });
      if (response.status !== 200) throw new Error(`the engine answered ${response.status}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: TURN_CALLS }, place));
}

// biome-ignore lint/style/noDefaultExport: the runtime takes a Worker from the default export
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    await run(env, await request.json<Asked>());
    return new Response(null, { status: 204 });
  },
};
