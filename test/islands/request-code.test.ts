import { expect, test } from "vitest";
import { codeOf } from "../../src/islands/request/code.ts";

const body = { model: "local", prompt: 'It’s "so"\n', top_k: 5, stop: ["\n"], stream: true };

test("Python gets what the SDK has no argument for as extra_body, in Python's own words", () => {
  const code = codeOf("python", "https://example.org", { ...body, ignore_eos: true });
  expect(code).toContain('base_url="https://example.org/v1"');
  expect(code).toContain('    prompt="It’s \\"so\\"\\n",\n    stop=["\\n"],\n    stream=True,');
  expect(code).toContain(
    '    extra_body={\n        "top_k": 5,\n        "ignore_eos": True,\n    },',
  );
});

test("TypeScript spreads what the SDK's types do not know", () => {
  const code = codeOf("typescript", "https://example.org", body);
  expect(code).toContain("const more = {\n  top_k: 5,\n};");
  expect(code).toContain("  ...more,\n});");
});

test("curl's body survives a quote in the prompt", () => {
  const code = codeOf("curl", "https://example.org", { prompt: "it's" });
  expect(code).toContain(`-d '{\n  "prompt": "it'\\''s"\n}'`);
});
