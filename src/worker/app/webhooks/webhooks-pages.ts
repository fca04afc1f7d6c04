// The pages of a person's webhooks. Every route reaches only what is of whoever is signed in.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireSession } from "../guard.ts";
import { liveSession } from "../jobs/live.ts";
import { failurePage } from "../layout/error-page.tsx";
import { remove, rotate, sendTest, showRemove, showRotate, switchOn } from "./change-endpoint.tsx";
import { replay, showDelivery } from "./delivery-page.tsx";
import { addEndpoint, showNewEndpoint } from "./new-endpoint.tsx";
import { showDeliveryRows, showWebhooks } from "./webhooks-page.tsx";

export const webhooksPages = new Hono<AppEnv>();
webhooksPages.onError(failurePage);

const session = requireSession();

webhooksPages.get("/webhooks", session, showWebhooks);

webhooksPages.get("/webhooks/endpoints/new", session, showNewEndpoint);
webhooksPages.post("/webhooks/endpoints", session, addEndpoint);
webhooksPages.get("/webhooks/endpoints/:id/rotate", session, showRotate);
webhooksPages.post("/webhooks/endpoints/:id/rotate", session, rotate);
webhooksPages.get("/webhooks/endpoints/:id/remove", session, showRemove);
webhooksPages.post("/webhooks/endpoints/:id/remove", session, remove);
webhooksPages.post("/webhooks/endpoints/:id/test", session, sendTest);
webhooksPages.post("/webhooks/endpoints/:id/on", session, switchOn);

webhooksPages.get("/webhooks/deliveries/rows", liveSession, showDeliveryRows);
webhooksPages.get("/webhooks/deliveries/:id", session, showDelivery);
webhooksPages.post("/webhooks/deliveries/:id/replay", session, replay);
