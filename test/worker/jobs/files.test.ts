// `files` as OpenAI's SDK calls them, and bodies as it never would.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { FILES_MOST } from "../../../src/contract/job-limits.ts";
import type { JobListRpc } from "../../../src/contract/job-list.ts";
import { call, errorOf, newPerson, type Person, read } from "../calling.ts";
import { stored, storedText } from "./submitting.ts";
import { type ShownFile, upload, uploadForm } from "./uploading.ts";

const content = '{"custom_id":"ü"}\r\n--not a boundary\n';

function get(person: Person, path: string, headers = {}): Promise<Response> {
  return call(`/v1/files${path}`, { key: person.key, headers });
}

describe("an uploaded file", () => {
  test("is kept as it is, and shown in OpenAI's words", async () => {
    const person = await newPerson();
    const file = await upload(person, content, "my batch.jsonl");
    expect(file).toEqual({
      id: expect.stringMatching(/^file-[0-9a-z]{26}$/),
      ...{ object: "file", purpose: "batch", status: "processed", filename: "my batch.jsonl" },
      bytes: new TextEncoder().encode(content).length,
      created_at: expect.any(Number),
      expires_at: file.created_at + 30 * 86_400,
    });
    expect(await read(get(person, `/${file.id}`))).toEqual(file);
    expect(await (await get(person, `/${file.id}/content`)).text()).toBe(content);
    const [key = ""] = await stored(person);
    expect(await storedText(key)).toBe(content);
  });

  test("may come with its purpose before or after it, in reads cut anywhere", async () => {
    const person = await newPerson();
    const boundary = "xYzZy";
    const purpose = '\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';
    const part = `\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${content}\r\n`;
    for (const parts of [
      [purpose, part],
      [part, purpose],
    ]) {
      const form = `${parts.map((one) => `--${boundary}${one}`).join("")}--${boundary}--\r\n`;
      const bytes = new TextEncoder().encode(form);
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
          controller.close();
        },
      });
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
      const posted = call("/v1/files", { method: "POST", key: person.key, body, headers });
      const { id } = await read<ShownFile>(posted);
      expect(await (await get(person, `/${id}/content`)).text()).toBe(content);
    }
  });

  test("is read by range", async () => {
    const person = await newPerson();
    const { id } = await upload(person, "0123456789");
    const response = await get(person, `/${id}/content`, { range: "bytes=2-4" });
    expect([response.status, await response.text()]).toEqual([206, "234"]);
    expect(response.headers.get("content-range")).toBe("bytes 2-4/10");
  });

  test("is listed, newest first, and by its purpose alone", async () => {
    const person = await newPerson();
    const ids: string[] = [];
    for (const text of ["a", "b", "c"]) ids.unshift((await upload(person, text)).id);
    interface List {
      data: ShownFile[];
      has_more: boolean;
    }
    const first = await read<List>(get(person, "?limit=2&purpose=batch&order=desc"));
    const rest = await read<List>(get(person, `?limit=2&after=${first.data[1]?.id}`));
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
    expect([first.has_more, rest.has_more]).toEqual([true, false]);
    expect(await read<List>(get(person, "?purpose=batch_output"))).toMatchObject({ data: [] });
    expect(await errorOf(get(person, "?order=asc"))).toMatchObject({ status: 400 });
  });

  test("that is deleted is gone, with its bytes", async () => {
    const person = await newPerson();
    const { id } = await upload(person, content);
    const deleting = call(`/v1/files/${id}`, { method: "DELETE", key: person.key });
    expect(await read(deleting)).toEqual({ id, object: "file", deleted: true });
    expect(await errorOf(get(person, `/${id}`))).toMatchObject({ status: 404 });
    await expect.poll(() => stored(person)).toEqual([]);
  });
});

describe("an upload that is refused leaves nothing", () => {
  const form = (fields: Record<string, string>, file: File | null = new File(["x"], "f")) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    if (file !== null) body.append("file", file);
    return body;
  };
  const twice = form({ purpose: "batch" });
  twice.append("file", new File(["y"], "g"));

  test.each<[string, FormData, string | null, string]>([
    ["without a purpose", form({}), "purpose", "purpose"],
    ["for another purpose", form({ purpose: "fine-tune" }), "purpose", '"batch"'],
    ["without a file", form({ purpose: "batch" }, null), "file", "`file` is required"],
    ["of nothing", form({ purpose: "batch" }, new File([], "f")), "file", "is empty"],
    ["of two files", twice, null, "One file"],
    ["with another field", form({ purpose: "batch", name: "x" }), null, "no field"],
    [
      "with an expiry",
      form({ purpose: "batch", "expires_after[anchor]": "created_at" }),
      ...(["expires_after", "30 days"] as const),
    ],
    ["with a large field", form({ purpose: "b".repeat(2_000) }), null, "longer ones"],
    [
      "with a long name",
      form({ purpose: "batch" }, new File(["x"], "n".repeat(201))),
      null,
      "name",
    ],
  ])("%s", async (_, body, param, says) => {
    const person = await newPerson();
    const error = await errorOf(uploadForm(person.key, body));
    expect(error).toMatchObject({ status: 400, code: "invalid_request", param });
    expect(error.message).toContain(says);
    expect(await stored(person)).toEqual([]);
  });

  test("that breaks off, is no form, or has no boundary", async () => {
    const person = await newPerson();
    const post = (type: string, body: string) =>
      call("/v1/files", {
        ...{ method: "POST", key: person.key, body, headers: { "content-type": type } },
      });
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n';
    const purpose = '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';
    const multipart = "multipart/form-data; boundary=b";
    for (const body of [`${purpose}${head}half a file`, "", "no form at all", `${head}x\r\n--b`]) {
      const error = await errorOf(post(multipart, body));
      expect(error).toMatchObject({ status: 400, code: "invalid_request" });
    }
    const nameless = "multipart/form-data; charset=utf-8";
    expect((await errorOf(post(nameless, "x"))).message).toContain("boundary");
    expect(await errorOf(post("application/json", "{}"))).toMatchObject({ status: 415 });
    expect(await stored(person)).toEqual([]);
  });

  test("by who has as many files as may be", async () => {
    const person = await newPerson();
    const { created_at, id, bytes, filename: name } = await upload(person, content);
    const row = { bytes, name, createdAt: created_at * 1_000, removedAt: Date.now() * 2 };
    await runInDurableObject(env.JOB_LIST.getByName(person.id), async (instance) => {
      const list = instance as unknown as JobListRpc;
      for (let at = 1; at < FILES_MOST; at++) {
        await list.putFile({ ...row, id: `${id.slice(0, -3)}${String(at).padStart(3, "0")}` });
      }
    });
    const error = await errorOf(uploadForm(person.key, form({ purpose: "batch" })));
    expect(error).toMatchObject({ status: 409, code: "conflict" });
    expect(error.message).toContain("Delete some");
  });
});

test.each([
  ["GET", ""],
  ["GET", "/content"],
  ["DELETE", ""],
])("%s /v1/files/{id}%s of another person is a 404, as of none", async (method, of) => {
  const [owner, other] = [await newPerson(), await newPerson()];
  const { id } = await upload(owner, content);
  const own = "0".repeat(26);
  for (const asked of [id, `file-${own}`, `file-${own}-output`, "file-x", "nothing"]) {
    const error = await errorOf(call(`/v1/files/${asked}${of}`, { method, key: other.key }));
    expect(error).toMatchObject({ status: 404, code: "not_found" });
  }
  expect(await (await get(owner, `/${id}/content`)).text()).toBe(content);
});
