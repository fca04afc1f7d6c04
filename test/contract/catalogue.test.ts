import { expect, test } from "vitest";
import catalogueFile from "../../infra/models.json" with { type: "json" };
import { parseCatalogue } from "../../src/contract/catalogue.ts";

const served = {
  id: "served",
  repo: "example/served",
  revision: "0123456789abcdef0123456789abcdef01234567",
  dtype: "bfloat16",
  gpu: "H200",
  gpu_count: 8,
  price_per_gpu_hour: 4.5,
  tensor_parallel: 8,
  max_model_len: 4096,
  vocab_size: 1000,
  bos_id: 1,
  byte_bound: true,
  max_logprobs: 20,
  max_logprob_cells: 50_000,
  whole_vocabulary_tokens: 16,
  max_output_tokens: 20_000,
  idle_seconds: 300,
  min_containers: 0,
  max_containers: 2,
  typical_start_seconds: 120,
  job_concurrency: 64,
};

const parse = (...entries: Record<string, unknown>[]) => parseCatalogue({ models: entries });

test("the catalogue that ships is right", () => {
  expect([...parseCatalogue(catalogueFile).keys()]).toEqual([
    "local",
    "llama-3.1-8b",
    "llama-3.1-405b",
    "olmo-2-7b",
  ]);
});

test("each Model that ships is one of its own, pinned to a commit of its own", () => {
  const models = [...parseCatalogue(catalogueFile).values()];
  for (const field of ["repo", "revision"] as const) {
    expect(new Set(models.map((model) => model[field])).size).toBe(models.length);
  }
});

const wrong: [Record<string, unknown>, string][] = [
  [{ revision: "main" }, "served: revision: revision is a full commit sha, 40 hex digits"],
  [{ dtype: "int4" }, "served: dtype: "],
  [{ gpu: "RTX-9090" }, "served: gpu: is none of T4, L4, A10, L40S, "],
  [{ price: 4 }, 'served: Unrecognized key: "price"'],
  [{ gpu: "none" }, 'served: gpu_count: 8 does not go with gpu "none"'],
  [{ gpu_count: 0, tensor_parallel: 1 }, 'served: gpu_count: 0 does not go with gpu "H200"'],
  [
    { gpu: "none", gpu_count: 0, tensor_parallel: 1 },
    "served: price_per_gpu_hour: 4.5 is a price for no GPU",
  ],
  [{ tensor_parallel: 16 }, "served: tensor_parallel: 16 is more than gpu_count, 8"],
  [{ bos_id: 1000 }, "served: bos_id: 1000 is outside the vocabulary: vocab_size is 1000"],
  [{ max_logprobs: 1001 }, "served: max_logprobs: 1001 is more than vocab_size, 1000"],
  [{ max_logprob_cells: 1000 }, "served: max_logprob_cells: 1000 leaves no room for"],
  [{ whole_vocabulary_tokens: 4097 }, "served: whole_vocabulary_tokens: 4097 is more than"],
  [{ max_output_tokens: 4095 }, "served: max_output_tokens: 4095 refuses one choice that"],
  [{ max_output_tokens: 4096 * 256 + 1 }, "served: max_output_tokens: 1048577 bounds nothing"],
  [{ min_containers: 3 }, "served: min_containers: 3 is more than max_containers, 2"],
];
test.each(wrong)("an entry with %j is refused by its id and field", (change, sentence) => {
  expect(() => parse({ ...served, ...change })).toThrow(`infra/models.json: ${sentence}`);
});

test("all that is wrong is said at once", () => {
  const second = { ...served, id: "second", bos_id: 5000 };
  expect(() => parse({ ...served, min_containers: 3 }, second)).toThrow(
    /served: min_containers: .*; second: bos_id: /,
  );
});

test("an id stands there once", () => {
  expect(() => parse(served, served)).toThrow("infra/models.json: served stands there twice");
});

test("what is no catalogue is refused as that", () => {
  expect(() => parseCatalogue(null)).toThrow("infra/models.json: ");
  expect(() => parse()).toThrow("infra/models.json: models: ");
});
