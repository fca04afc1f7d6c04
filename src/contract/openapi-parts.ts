// What the pages of the OpenAPI document are made of.
import type { ErrorCode } from "./errors.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What of an operation is its own; all else follows from its route. */
export interface OwnOperation {
  parameters?: readonly Json[];
  requestBody?: Json;
  success: Json;
  codes: readonly ErrorCode[];
}

export const text = { type: "string" };
export const count = { type: "integer", minimum: 0 };

export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const json = (schema: Json) => ({ "application/json": { schema } });

export const header = (description: string, type = "string") => {
  return { description, schema: { type } };
};

export const orNull = (schema: Json) => ({ anyOf: [schema, { type: "null" }] });

/** All of its properties are always there. */
export function object(properties: Record<string, Json>): Json {
  return { type: "object", properties, required: Object.keys(properties) };
}
