import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { completionFields, fieldNames } from "../../src/contract/completion-fields.ts";
import { flagFields, parseCompletionRequest } from "../../src/contract/completion-request.ts";
import { completionSchema } from "../../src/contract/completion-schema.ts";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { buildOpenApi, codesOf } from "../../src/contract/openapi.ts";
import { refusedFields } from "../../src/contract/refused-fields.ts";
import { routes } from "../../src/contract/routes.ts";
import { errorsPage } from "../../tools/pages/errors-page.ts";
import { fieldsPage } from "../../tools/pages/fields-page.ts";

interface Document {
  paths: Record<string, Record<string, { operationId?: string; responses: object }>>;
  components: { schemas: { CompletionRequest: RequestSchema } };
}

interface RequestSchema {
  additionalProperties: boolean;
  required: string[];
  properties: Record<string, { default?: unknown; description: string }>;
}

const openApi = JSON.parse(JSON.stringify(buildOpenApi("0.0.0"))) as Document;

describe("the field table and the schema", () => {
  test("have the same fields in the same order", () => {
    expect(Object.keys(completionSchema.shape)).toEqual(fieldNames);
  });

  test("share no field with those refused by name", () => {
    for (const name of Object.keys(refusedFields)) expect(fieldNames).not.toContain(name);
  });

  test("agree on the defaults: writing one out changes nothing", () => {
    const minimal = { model: "m", prompt: "a" };
    for (const name of fieldNames) {
      const initial = completionFields[name].default;
      if (initial === null) continue;
      const [written, absent] = [
        parseCompletionRequest({ ...minimal, [name]: initial }),
        parseCompletionRequest(minimal),
      ];
      if (!written.ok || !absent.ok) throw new Error(`${name} refuses its own default`);
      const { flags: writtenFlags, minTokens, ...rest } = written.request;
      const { flags: _, minTokens: __, ...defaults } = absent.request;
      expect(rest).toEqual(defaults);
      const isFlag = flagFields.some((flag) => flag === name);
      expect(writtenFlags).toEqual(isFlag ? { [name]: initial } : {});
      expect(minTokens).toBe(name === "min_tokens" ? initial : undefined);
    }
  });
});

describe("the OpenAPI document", () => {
  test("describes every field with the table's words and default", () => {
    const schema = openApi.components.schemas.CompletionRequest;
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(["model", "prompt"]);
    expect(Object.keys(schema.properties)).toEqual(fieldNames);
    for (const name of fieldNames) {
      const { default: initial, notes } = completionFields[name];
      expect(schema.properties[name]?.description).toContain(notes);
      expect(schema.properties[name]?.default).toEqual(initial ?? undefined);
    }
  });

  test("has every route once, with the statuses of its codes", () => {
    const ids = new Set<string | undefined>();
    for (const route of routes) {
      const operation = openApi.paths[route.path]?.[route.method.toLowerCase()];
      ids.add(operation?.operationId);
      const statuses = codesOf(route).map((code) => String(errorCatalogue[code].status));
      const success = route.path === "/webhooks/inference" ? "204" : "200";
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining([success, ...statuses]),
      );
    }
    expect(ids.size).toBe(routes.length);
  });

  test("refers only to schemas that it has", () => {
    const text = JSON.stringify(openApi);
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]);
    for (const name of names) expect(openApi.components.schemas).toHaveProperty(name ?? "");
  });
});

describe("the generated files", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

  test("are what the contract says", () => {
    expect(read("docs/reference/fields.md")).toBe(fieldsPage());
    expect(read("docs/reference/errors.md")).toBe(errorsPage());
    const { version } = JSON.parse(read("package.json")) as { version: string };
    expect(JSON.parse(read("docs/openapi.json"))).toEqual(
      JSON.parse(JSON.stringify(buildOpenApi(version))),
    );
  });

  test("have a row for every field, refused field and code", () => {
    const names = [...fieldNames, ...Object.keys(refusedFields)];
    for (const name of names) expect(fieldsPage()).toContain(`| \`${name}\` |`);
    for (const code of Object.keys(errorCatalogue)) {
      expect(errorsPage()).toContain(`## ${code}\n`);
    }
  });
});
