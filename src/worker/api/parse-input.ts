import type { z } from "zod";
import { Refused } from "../refuse.ts";

/** Parses a small body or query. Throws `Refused` 400 with every problem; values are not quoted. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    const param = [...issue.path, ...(unknown === undefined ? [] : [unknown])].join(".");
    const message = unknown === undefined ? issue.message : "is no field of this request";
    return { param, message };
  });
  throw new Refused({
    code: "invalid_request",
    message: problems.map(({ param, message }) => `${param || "body"}: ${message}`).join("; "),
    param: problems[0]?.param || null,
  });
}
