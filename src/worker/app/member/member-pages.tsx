// The pages of whoever is signed in: their own tokens, keys and usage, and the Models.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { showAsset } from "../assets.ts";
import { failurePage } from "../layout/error-page.tsx";

export const memberPages = new Hono<AppEnv>();
memberPages.onError(failurePage);
memberPages.get("/assets/*", showAsset);
