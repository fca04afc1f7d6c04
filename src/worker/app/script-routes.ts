// What the App's scripts ask for, beside the API. What is refused is answered as the API answers it.
import { Hono } from "hono";
import type { AppEnv } from "../environment.ts";
import { requireScriptSession } from "./script-session.ts";
import { makeSessionKey } from "./session-key.ts";
import { listPrompts, removePrompt, savePrompt, showPrompt } from "./workbench/saved-prompts.ts";

export const scriptRoutes = new Hono<AppEnv>();

const session = requireScriptSession();

scriptRoutes.post("/app/session-key", makeSessionKey);
scriptRoutes.get("/app/prompts", session, listPrompts);
scriptRoutes.post("/app/prompts", session, savePrompt);
scriptRoutes.get("/app/prompts/:id", session, showPrompt);
scriptRoutes.post("/app/prompts/:id/remove", session, removePrompt);
