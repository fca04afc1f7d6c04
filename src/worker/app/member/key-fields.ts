// The fields of a key as forms send them.
import { z } from "zod";
import { NAME_MAX_CHARACTERS } from "../../../contract/limits.ts";
import { tokenAmount } from "../read-form.ts";

export const keyName = z
  .string("Give the key a name.")
  .trim()
  .min(1, "Give the key a name.")
  .max(NAME_MAX_CHARACTERS, `Write at most ${NAME_MAX_CHARACTERS} characters.`);

/** Empty is no limit. */
export const monthlyLimit = z.preprocess(
  (text) => (typeof text === "string" && text.trim() === "" ? null : text),
  tokenAmount.nullable().default(null),
);
