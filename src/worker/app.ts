// The order of everything: what each request passes, and which handler answers it. The routes are
// those of the contract's table; a test walks both.
import { Hono } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { routes, unsupportedPaths } from "../contract/routes.ts";
import { showAccount } from "./api/account.ts";
import { showAudit } from "./api/admin/audit.ts";
import { grantTokens } from "./api/admin/grants.ts";
import { changeKey, listKeys, mintKey, revokeKey } from "./api/admin/keys.ts";
import { listModelStates, passConformance, wakeModel } from "./api/admin/models.ts";
import {
  addPerson,
  changePerson,
  invitePerson,
  listPeople,
  showPerson,
} from "./api/admin/people.ts";
import { changeSpend, showSpend } from "./api/admin/spend.ts";
import { approveRequest, listTokenRequests, rejectRequest } from "./api/admin/token-requests.ts";
import { cancelBatch, createBatch, listBatches, showBatch } from "./api/batches/batches.ts";
import { complete } from "./api/completions.ts";
import { listFiles, removeFile, showFile, showFileContent } from "./api/files/files.ts";
import { uploadFile } from "./api/files/upload.ts";
import { cancelJob, listJobs, removeJob, showJob, showResults } from "./api/jobs/jobs.ts";
import { submitJob } from "./api/jobs/submit.ts";
import { listModels, showModel } from "./api/models.ts";
import { detokenize, tokenize } from "./api/tokenize.ts";
import { refuseChat } from "./api/unsupported.ts";
import { showUsage } from "./api/usage.ts";
import { adminPages } from "./app/admin/admin-pages.ts";
import { comparePages } from "./app/compare/compare-pages.ts";
import { appPaths, asksForPage, guardApp } from "./app/guard.ts";
import { jobsPages } from "./app/jobs/jobs-pages.ts";
import { notFoundPage } from "./app/layout/error-page.tsx";
import { loomPages } from "./app/loom/loom-pages.ts";
import { memberPages } from "./app/member/member-pages.ts";
import { scriptRoutes } from "./app/script-routes.ts";
import { signInPages } from "./app/sign-in/sign-in-pages.ts";
import { webhooksPages } from "./app/webhooks/webhooks-pages.ts";
import { workbenchPages } from "./app/workbench/workbench-pages.ts";
import { docsUrl, showOpenapi } from "./docs/docs.ts";
import { docsPages } from "./docs/docs-pages.ts";
import { isPage } from "./docs/pages.ts";
import type { AppEnv } from "./environment.ts";
import { frameEveryAnswer } from "./frame.ts";
import { answerFailure } from "./guard/door.ts";
import { defect, errorResponse, Refused } from "./refuse.ts";
import { receiveReport } from "./webhooks/inference.ts";
import { receiveKeyEvents } from "./webhooks/keys.ts";
import { receiveFoundKeys } from "./webhooks/secret-scanning.ts";

/** A day: browsers keep a preflight's answer at most that long. */
const PREFLIGHT_SECONDS = 86_400;

/** Preflights only: on answers the frame sets the two headers itself, without building them twice. */
const preflight = cors({
  origin: "*",
  allowHeaders: ["authorization", "*"],
  maxAge: PREFLIGHT_SECONDS,
});

export const app = new Hono<AppEnv>();

app.use(frameEveryAnswer());
app.options("*", async (c, next) => {
  const allowed = allowedMethods(c.req.path).join(", ");
  if (allowed !== "") c.header("allow", allowed);
  const asksFirst = c.req.header("access-control-request-method") !== undefined;
  // Also where no route is: a page may read the 404 only of a request that its preflight let pass.
  if (asksFirst && c.req.path.startsWith("/v1/")) return preflight(c, next);
  return allowed === "" ? next() : c.body(null, 204);
});

app.get("/health", (c) => c.json({ status: "ok" }));
app.get("/openapi.json", showOpenapi);
app.post("/webhooks/inference", receiveReport);
app.post("/webhooks/keys", receiveKeyEvents);
app.post("/webhooks/github/secret-scanning", receiveFoundKeys);

app.post("/v1/completions", complete);
app.get("/v1/models", listModels);
app.get("/v1/models/:id{.+}", showModel);
app.post("/v1/tokenize", tokenize);
app.post("/v1/detokenize", detokenize);

app.post("/v1/jobs", submitJob);
app.get("/v1/jobs", listJobs);
app.get("/v1/jobs/:id", showJob);
app.delete("/v1/jobs/:id", removeJob);
app.post("/v1/jobs/:id/cancel", cancelJob);
app.get("/v1/jobs/:id/results", showResults);
app.post("/v1/files", uploadFile);
app.get("/v1/files", listFiles);
app.get("/v1/files/:id", showFile);
app.delete("/v1/files/:id", removeFile);
app.get("/v1/files/:id/content", showFileContent);
app.post("/v1/batches", createBatch);
app.get("/v1/batches", listBatches);
app.get("/v1/batches/:id", showBatch);
app.post("/v1/batches/:id/cancel", cancelBatch);

app.get("/v1/account", showAccount);
app.get("/v1/usage", showUsage);
for (const path of unsupportedPaths) app.all(path, refuseChat);

app.get("/v1/admin/people", listPeople);
app.post("/v1/admin/people", addPerson);
app.get("/v1/admin/people/:id", showPerson);
app.patch("/v1/admin/people/:id", changePerson);
app.post("/v1/admin/people/:id/invite", invitePerson);
app.post("/v1/admin/people/:id/grants", grantTokens);
app.get("/v1/admin/people/:id/keys", listKeys);
app.post("/v1/admin/people/:id/keys", mintKey);
app.patch("/v1/admin/keys/:id", changeKey);
app.post("/v1/admin/keys/:id/revoke", revokeKey);
app.get("/v1/admin/token-requests", listTokenRequests);
app.post("/v1/admin/token-requests/:id/approve", approveRequest);
app.post("/v1/admin/token-requests/:id/reject", rejectRequest);
app.get("/v1/admin/spend", showSpend);
app.patch("/v1/admin/spend", changeSpend);

app.get("/v1/admin/models", listModelStates);
app.post("/v1/admin/models/:id{.+}/wake", wakeModel);
app.post("/v1/admin/models/:id{.+}/conformance", passConformance);
app.get("/v1/admin/audit", showAudit);

for (const path of appPaths) app.use(path, guardApp());
app.route("/", signInPages);
app.route("/", memberPages);
app.route("/", jobsPages);
app.route("/", webhooksPages);
app.route("/", loomPages);
app.route("/", workbenchPages);
app.route("/", comparePages);
app.route("/", scriptRoutes);
app.route("/", adminPages);
app.route("/", docsPages);

app.notFound((c) => {
  if (asksForPage(c)) return notFoundPage(c);
  const { requestId } = c.get("frame");
  const docs = `${docsUrl(c)}/reference/errors`;
  const allowed = allowedMethods(c.req.path).join(", ");
  if (allowed === "") {
    const message = `There is no such route. ${new URL(c.req.url).origin}/openapi.json lists all.`;
    return errorResponse({ code: "not_found", message }, requestId, docs);
  }
  const message = `This route answers only ${allowed}.`;
  const response = errorResponse({ code: "method_not_allowed", message }, requestId, docs);
  response.headers.set("allow", allowed);
  return response;
});

app.onError((failure, c) => {
  const { requestId } = c.get("frame");
  const docs = `${docsUrl(c)}/reference/errors`;
  if (failure instanceof Refused) {
    return errorResponse(answerFailure(c, failure).error, requestId, docs);
  }
  if (failure instanceof HTTPException) {
    const error = { code: "invalid_request", message: "The request is no valid HTTP." } as const;
    return errorResponse(error, requestId, docs);
  }
  console.error({ event: "defect", requestId, failure: String(failure), stack: failure.stack });
  return errorResponse(defect, requestId, docs);
});

/** The methods of what is at this path: the routes whose pattern fits, or a page. */
function allowedMethods(path: string): string[] {
  if (isPage(path)) return ["GET"];
  if (unsupportedPaths.some((unsupported) => unsupported === path)) return ["POST"];
  return patterns.filter(({ fits }) => fits.test(path)).map(({ method }): string => method);
}

const patterns = routes.map(({ method, path }) => ({ method, fits: pattern(path) }));

function pattern(path: string): RegExp {
  // A Model's id may have slashes; every other parameter is one segment.
  const parameter = /^\/v1\/(admin\/)?models\//.test(path) ? ".+" : "[^/]+";
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, parameter)}$`);
}
