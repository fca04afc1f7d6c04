import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireSession } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { showWorkbench } from "./workbench-page.tsx";

export const workbenchPages = new Hono<AppEnv>();
workbenchPages.onError(failurePage);

workbenchPages.get("/workbench", requireSession(), showWorkbench);
