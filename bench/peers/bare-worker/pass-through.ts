// The least that a gateway on Hono and the Worker runtime can do: send the request on, return the
// answer. The distance from here to Continuo is what keys, Holds, checks and settlement cost.
import { Hono } from "hono";

const app = new Hono<{ Bindings: { UPSTREAM: string } }>();

app.post("/v1/*", (c) => fetch(new Request(`${c.env.UPSTREAM}${c.req.path}`, c.req.raw)));

// biome-ignore lint/style/noDefaultExport: the runtime takes a Worker from the default export
export default app;
