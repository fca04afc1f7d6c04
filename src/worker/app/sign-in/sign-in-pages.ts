// The door's own routes: the way in, the way out, and where somebody is signed in.
import { Hono } from "hono";
import type { AppEnv } from "../../environment.ts";
import { requireSession } from "../guard.ts";
import { failurePage } from "../layout/error-page.tsx";
import { endSession, showSessions } from "./sessions-page.tsx";
import { finishSignIn, signOut, startSignIn } from "./sign-in.ts";
import { showSignIn } from "./sign-in-page.tsx";

export const signInPages = new Hono<AppEnv>();
signInPages.onError(failurePage);

signInPages.get("/sign-in", showSignIn);
signInPages.get("/sign-in/start", startSignIn);
signInPages.get("/sign-in/callback", finishSignIn);
signInPages.post("/sign-out", signOut);

signInPages.get("/sessions", requireSession(), showSessions);
signInPages.post("/sessions/:id/end", requireSession(), endSession);
