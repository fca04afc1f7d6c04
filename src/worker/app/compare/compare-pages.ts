import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireSession } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { showCompare } from "./compare-page.tsx";

export const comparePages = new Hono<AppEnv>();
comparePages.onError(failurePage);

comparePages.get("/compare", requireSession(), showCompare);
