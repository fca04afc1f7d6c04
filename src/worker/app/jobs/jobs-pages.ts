// The pages of a person's Jobs. Every route reaches only Jobs of whoever is signed in.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireSession } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { cancel, remove, showCancel, showRemove } from "./end-job.tsx";
import { downloadResults, showJob, showJobPart } from "./job-page.tsx";
import { showJobRows, showJobs } from "./jobs-page.tsx";
import { liveSession } from "./live.ts";
import { showNewJob, startPasted } from "./new-job.tsx";
import { showRunning } from "./running-jobs.tsx";
import { showUpload, startUploaded } from "./upload-job.tsx";

export const jobsPages = new Hono<AppEnv>();
jobsPages.onError(failurePage);

const session = requireSession();

jobsPages.get("/jobs", session, showJobs);
jobsPages.post("/jobs", session, startPasted);
jobsPages.get("/jobs/new", session, showNewJob);
jobsPages.get("/jobs/upload", session, showUpload);
jobsPages.post("/jobs/upload", session, startUploaded);
jobsPages.get("/jobs/rows", liveSession, showJobRows);
jobsPages.get("/jobs/running", liveSession, showRunning);

jobsPages.get("/jobs/:id", session, showJob);
jobsPages.get("/jobs/:id/part", liveSession, showJobPart);
jobsPages.get("/jobs/:id/results", session, downloadResults);
jobsPages.get("/jobs/:id/cancel", session, showCancel);
jobsPages.post("/jobs/:id/cancel", session, cancel);
jobsPages.get("/jobs/:id/remove", session, showRemove);
jobsPages.post("/jobs/:id/remove", session, remove);
