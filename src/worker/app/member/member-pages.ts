// The pages of whoever is signed in: their own tokens, keys and usage, and the Models.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { showAsset } from "../assets.ts";
import { requireAdminPage, requireSession } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { rename, revoke, setLimit, showLimit, showRename, showRevoke } from "./change-key.tsx";
import { createKey, showNewKey } from "./create-key.tsx";
import { showHome, welcomePrograms } from "./home-page.tsx";
import { dismissKeyNotice } from "./key-notices.tsx";
import { showKeys } from "./keys-page.tsx";
import { showModelStates } from "./model-states.tsx";
import { showModels, showWake, wake } from "./models-page.tsx";
import { ask, showRequests, withdraw } from "./requests-page.tsx";
import { showUsageCsv, showUsagePage } from "./usage-page.tsx";

export const memberPages = new Hono<AppEnv>();
memberPages.onError(failurePage);

const session = requireSession();
const admin = requireAdminPage();

memberPages.get("/assets/*", showAsset);
memberPages.get("/", welcomePrograms, session, showHome);

memberPages.get("/keys", session, showKeys);
memberPages.post("/keys", session, createKey);
memberPages.get("/keys/new", session, showNewKey);
memberPages.get("/keys/:id/rename", session, showRename);
memberPages.post("/keys/:id/rename", session, rename);
memberPages.get("/keys/:id/limit", session, showLimit);
memberPages.post("/keys/:id/limit", session, setLimit);
memberPages.get("/keys/:id/revoke", session, showRevoke);
memberPages.post("/keys/:id/revoke", session, revoke);
memberPages.post("/keys/:id/dismiss", session, dismissKeyNotice);

memberPages.get("/usage", session, showUsagePage);
memberPages.get("/usage/download.csv", session, showUsageCsv);
memberPages.get("/usage/requests", session, showRequests);
memberPages.post("/usage/requests", session, ask);
memberPages.post("/usage/requests/:id/withdraw", session, withdraw);

memberPages.get("/models", session, showModels);
memberPages.get("/models/states", showModelStates);
memberPages.get("/models/:id{.+}/wake", admin, showWake);
memberPages.post("/models/:id{.+}/wake", admin, wake);
