// What the App's scripts ask for, beside the API: routes that answer them and show nobody a page.
import { Hono } from "hono";
import type { AppEnv } from "../environment.ts";
import { failurePage } from "./layout/error-page.tsx";
import { makeSessionKey } from "./session-key.ts";

export const scriptRoutes = new Hono<AppEnv>();
scriptRoutes.onError(failurePage);

scriptRoutes.post("/app/session-key", makeSessionKey);
