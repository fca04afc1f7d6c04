// `/app/prompts`: what a person keeps with the Workbench, for its script. Nobody else's can be named:
// each call goes to the object of whoever is signed in.
import type { Context } from "hono";
import type { SavedPromptsRpc } from "../../../contract/saved-prompts.ts";
import {
  SAVED_PROMPT_BODY_MAX_BYTES,
  SAVED_PROMPTS_MOST,
  SavePromptBody,
} from "../../../contract/saved-prompts.ts";
import { jobListOf } from "../../../durable-objects/objects.ts";
import { parseInput } from "../../api/parse-input.ts";
import type { AppEnv } from "../../environment.ts";
import { readJson } from "../../read-body.ts";
import { Refused } from "../../refuse.ts";
import { signedIn } from "../session.ts";

export async function listPrompts(c: Context<AppEnv>): Promise<Response> {
  return c.json({ prompts: await own(c).savedPrompts() });
}

export async function showPrompt(c: Context<AppEnv>): Promise<Response> {
  const prompt = await own(c).savedPrompt(c.req.param("id") ?? "");
  return c.json(prompt ?? refuseUnknown());
}

export async function savePrompt(c: Context<AppEnv>): Promise<Response> {
  const body = await readJson(c.req.raw, SAVED_PROMPT_BODY_MAX_BYTES);
  const saved = await own(c).savePrompt(parseInput(SavePromptBody, body));
  if (saved !== null) return c.json(saved);
  const message = `You have ${SAVED_PROMPTS_MOST} saved prompts, as many as may be. Delete one first.`;
  throw new Refused({ code: "conflict", message });
}

export async function removePrompt(c: Context<AppEnv>): Promise<Response> {
  const removed = await own(c).removePrompt(c.req.param("id") ?? "");
  return removed ? c.json({ removed }) : refuseUnknown();
}

function own(c: Context<AppEnv>): SavedPromptsRpc {
  return jobListOf(c.env, signedIn(c).person.id);
}

function refuseUnknown(): never {
  throw new Refused({ code: "not_found", message: "You have no such prompt." });
}
