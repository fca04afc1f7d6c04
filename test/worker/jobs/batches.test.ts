// `batches` as OpenAI's SDK calls them: a Job under that API's names.
import { describe, expect, test } from "vitest";
import { call, errorOf, newPerson, type Person, read } from "../calling.ts";
import { finishSlice, inputOf, line, model, stored, submit } from "./submitting.ts";
import { upload } from "./uploading.ts";

interface ShownBatch {
  id: string;
  status: string;
  output_file_id: string | null;
  error_file_id: string | null;
  request_counts: { total: number; completed: number; failed: number };
}

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => line(`c${at}`)).join("\n");

function create(person: Person, body: object, headers = {}): Promise<Response> {
  const whole = { endpoint: "/v1/completions", completion_window: "24h", ...body };
  return call("/v1/batches", { method: "POST", key: person.key, body: whole, headers });
}

async function newBatch(person: Person, count = 2, fields: object = {}): Promise<ShownBatch> {
  const { id } = await upload(person, lines(count));
  return read(create(person, { input_file_id: id, ...fields }));
}

const get = <T>(person: Person, path: string) => read<T>(call(path, { key: person.key }));
const jobIdOf = ({ id }: ShownBatch) => id.replace("batch_", "job_");

describe("a batch", () => {
  test("is a Job of the file's lines, with what it was tagged with", async () => {
    const person = await newPerson();
    const { id: fileId } = await upload(person, lines(2), "night.jsonl");
    const metadata = { run: "7", "": "" };
    const batch = await read<ShownBatch>(create(person, { input_file_id: fileId, metadata }));
    expect(batch).toMatchObject({
      id: expect.stringMatching(/^batch_[0-9a-z]{26}$/),
      ...{ object: "batch", endpoint: "/v1/completions", completion_window: "24h", model },
      ...{ status: "validating", input_file_id: fileId, metadata },
      request_counts: { total: 2, completed: 0, failed: 0 },
      ...{ output_file_id: null, error_file_id: null, errors: null, completed_at: null },
    });
    expect((await inputOf(person)).map(({ custom_id }) => custom_id)).toEqual(["c0", "c1"]);
    const job = await get<{ name: string }>(person, `/v1/jobs/${jobIdOf(batch)}`);
    expect(job.name).toBe("night.jsonl");
  });

  test("that has ended names files of what succeeded and what failed", async () => {
    const person = await newPerson();
    const batch = await newBatch(person, 2);
    const results = [
      { text: '{"custom_id":"c0"}', ok: true },
      { text: '{"custom_id":"c1"}', ok: false },
    ];
    await finishSlice(person, jobIdOf(batch), results);
    const ended = await get<ShownBatch>(person, `/v1/batches/${batch.id}`);
    expect(ended).toMatchObject({
      status: "completed",
      request_counts: { total: 2, completed: 1, failed: 1 },
      completed_at: expect.any(Number),
    });
    for (const [at, fileId] of [ended.output_file_id, ended.error_file_id].entries()) {
      const file = await get<{ bytes: number }>(person, `/v1/files/${fileId}`);
      expect(file).toMatchObject({ id: fileId, object: "file", purpose: "batch_output" });
      const content = await call(`/v1/files/${fileId}/content`, { key: person.key });
      const text = await content.text();
      expect(text).toBe(`${results[at]?.text}\n`);
      expect(file.bytes).toBe(text.length);
      const deleting = call(`/v1/files/${fileId}`, { method: "DELETE", key: person.key });
      expect(await errorOf(deleting)).toMatchObject({ status: 409, code: "conflict" });
    }
  });

  test("without failures has no file of them", async () => {
    const person = await newPerson();
    const batch = await newBatch(person, 1);
    await finishSlice(person, jobIdOf(batch), [{ text: "{}", ok: true }]);
    const ended = await get<ShownBatch>(person, `/v1/batches/${batch.id}`);
    expect(ended.error_file_id).toBeNull();
    expect(ended.output_file_id).toMatch(/^file-[0-9a-z]{26}-output$/);
  });

  test("is cancelled, and stays so", async () => {
    const person = await newPerson();
    const { id } = await newBatch(person);
    const cancelling = () => call(`/v1/batches/${id}/cancel`, { method: "POST", key: person.key });
    const cancelled = await read<ShownBatch>(cancelling());
    expect(cancelled).toMatchObject({ id, status: "cancelled", cancelled_at: expect.any(Number) });
    expect(await read(cancelling())).toEqual(cancelled);
  });

  test("is the same one by the same Idempotency-Key", async () => {
    const person = await newPerson();
    const { id: fileId } = await upload(person, lines(2));
    const key = { "idempotency-key": "once" };
    const first = await read<ShownBatch>(create(person, { input_file_id: fileId }, key));
    const again = await read<ShownBatch>(create(person, { input_file_id: fileId }, key));
    expect(again.id).toBe(first.id);
    const tagged = create(person, { input_file_id: fileId, metadata: { a: "b" } }, key);
    expect(await errorOf(tagged)).toMatchObject({ status: 409, code: "idempotency_conflict" });
  });

  test("is listed without Jobs that are none, in pages", async () => {
    const person = await newPerson();
    const first = await newBatch(person);
    const { id: jobId } = await submit(person, 1);
    const second = await newBatch(person);
    const page = (query: string) =>
      get<{ data: ShownBatch[]; has_more: boolean }>(person, `/v1/batches?limit=1${query}`);
    const newest = await page("");
    expect(newest).toMatchObject({ data: [{ id: second.id }], has_more: true });
    const rest = await page(`&after=${second.id}`);
    expect(rest).toMatchObject({ data: [{ id: first.id }], has_more: false });
    const asBatch = call(`/v1/batches/${jobId.replace("job_", "batch_")}`, { key: person.key });
    expect(await errorOf(asBatch)).toMatchObject({ status: 404 });
  });
});

describe("a batch is refused", () => {
  test.each<[string, object, string]>([
    ["another endpoint", { endpoint: "/v1/chat/completions" }, "endpoint"],
    ["no window", { completion_window: "" }, "completion_window"],
    ["an unknown field", { priority: 1 }, "priority"],
    ["an own expiry", { output_expires_after: { seconds: 5 } }, "output_expires_after"],
    ["a long value", { metadata: { a: "x".repeat(513) } }, "metadata.a"],
    [
      "17 pairs",
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, ""])) },
      "metadata",
    ],
  ])("for %s", async (_, fields, param) => {
    const person = await newPerson();
    const error = await errorOf(create(person, { input_file_id: "file-x", ...fields }));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
  });

  test("for a wrong line, at once and by its number", async () => {
    const person = await newPerson();
    const { id } = await upload(person, `${lines(2)}\n${line("x", { max_token: 5 })}`);
    const error = await errorOf(create(person, { input_file_id: id }));
    expect(error).toMatchObject({ status: 400, param: "body.max_token" });
    expect(error.message).toMatch(/^Line 3: .*did you mean `max_tokens`/);
    expect(await stored(person)).toHaveLength(1);
  });

  test("for a file that is none, or another person's", async () => {
    const [owner, other] = [await newPerson(), await newPerson()];
    const { id } = await upload(owner, lines(1));
    for (const asked of [id, "file-x"]) {
      const error = await errorOf(create(other, { input_file_id: asked }));
      expect(error).toMatchObject({ status: 404, code: "not_found", param: "input_file_id" });
    }
  });
});

test.each([
  ["GET", ""],
  ["POST", "/cancel"],
])("%s /v1/batches/{id}%s of another person is a 404, and so are its files", async (method, of) => {
  const [owner, other] = [await newPerson(), await newPerson()];
  const { id } = await newBatch(owner);
  expect(await errorOf(call(`/v1/batches/${id}${of}`, { method, key: other.key }))).toMatchObject({
    ...{ status: 404, code: "not_found" },
  });
  const files = [`file-${id.slice(6)}-output`, `file-${id.slice(6)}-errors`];
  for (const file of files) {
    const content = call(`/v1/files/${file}/content`, { key: other.key });
    expect(await errorOf(content)).toMatchObject({ status: 404 });
  }
});
