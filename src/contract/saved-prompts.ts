// Prompts that a person keeps with the Workbench: saved and removed by them alone, read by them alone.
import { z } from "zod";
import { NAME_MAX_CHARACTERS } from "./limits.ts";

/** All are listed on one page; at their longest they take 20 MB of an object that holds gigabytes. */
export const SAVED_PROMPTS_MOST = 100;

/** As long as most contexts; a row may have 2 MB, and a character up to 4 bytes. */
const PROMPT_MAX_CHARACTERS = 200_000;

/** JSON writes a character in up to six. */
export const SAVED_PROMPT_BODY_MAX_BYTES = 6 * PROMPT_MAX_CHARACTERS + 4_096;

export const SavePromptBody = z.strictObject({
  name: z.string().trim().min(1, "Give it a name.").max(NAME_MAX_CHARACTERS),
  text: z.string().min(1, "Write something to save.").max(PROMPT_MAX_CHARACTERS),
});
export type SavePromptBody = z.infer<typeof SavePromptBody>;

export interface SavedPrompt extends SavePromptBody {
  id: string;
}

/** The part of the JobList object's RPC that is for saved prompts: like Jobs, they are the person's. */
export interface SavedPromptsRpc {
  /** The one saved last first. */
  savedPrompts(): Promise<Omit<SavedPrompt, "text">[]>;
  savedPrompt(id: string): Promise<SavedPrompt | null>;
  /** In place of what has the same name; null where there are as many as may be. */
  savePrompt(prompt: SavePromptBody): Promise<{ id: string } | null>;
  /** False when there is none. */
  removePrompt(id: string): Promise<boolean>;
}
