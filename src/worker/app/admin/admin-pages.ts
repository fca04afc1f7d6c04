// The Admin's part of the App: every route, and the one guard before all of them.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireAdminPage } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { showAudit } from "./audit-page.tsx";
import { approve, reject } from "./decide-request.ts";
import { invite, showInvite } from "./invite.tsx";
import { showPeople } from "./people-page.tsx";
import {
  askToDisable,
  changeRole,
  disable,
  enable,
  extendInvite,
  grant,
  setLimits,
} from "./person-changes.tsx";
import { showPerson } from "./person-page.tsx";
import { showRequests } from "./requests-page.tsx";
import { askToRevoke, revoke } from "./revoke-key.tsx";
import { askToPause, pause, resume, setLimit } from "./spend-changes.tsx";
import { showSpend } from "./spend-page.tsx";

export const adminPages = new Hono<AppEnv>();

adminPages.onError(failurePage);
adminPages.use("/admin/*", requireAdminPage());

adminPages.get("/admin/requests", showRequests);
adminPages.post("/admin/requests/:id/approve", approve);
adminPages.post("/admin/requests/:id/reject", reject);

adminPages.get("/admin/people", showPeople);
adminPages.post("/admin/people", invite);
adminPages.get("/admin/people/invite", showInvite);
adminPages.get("/admin/people/:id", showPerson);
adminPages.post("/admin/people/:id/grants", grant);
adminPages.post("/admin/people/:id/limits", setLimits);
adminPages.post("/admin/people/:id/role", changeRole);
adminPages.post("/admin/people/:id/invite", extendInvite);
adminPages.get("/admin/people/:id/disable", askToDisable);
adminPages.post("/admin/people/:id/disable", disable);
adminPages.post("/admin/people/:id/enable", enable);
adminPages.get("/admin/keys/:id/revoke", askToRevoke);
adminPages.post("/admin/keys/:id/revoke", revoke);

adminPages.get("/admin/spend", showSpend);
adminPages.post("/admin/spend/limit", setLimit);
adminPages.get("/admin/spend/pause", askToPause);
adminPages.post("/admin/spend/pause", pause);
adminPages.post("/admin/spend/resume", resume);

adminPages.get("/admin/audit", showAudit);
