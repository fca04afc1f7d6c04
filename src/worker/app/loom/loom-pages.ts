// The page of the Loom.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireSession } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { showLoom } from "./loom-page.tsx";

export const loomPages = new Hono<AppEnv>();
loomPages.onError(failurePage);

loomPages.get("/loom", requireSession(), showLoom);
