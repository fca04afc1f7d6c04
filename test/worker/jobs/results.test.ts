// A Job's results as a file: in order, while it runs, by range, and of one kind of items.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { SLICE_ITEMS_MOST as SLICE } from "../../../src/contract/job-limits.ts";
import { jobPartKey } from "../../../src/contract/job-store.ts";
import { call, errorOf, newPerson, type Person } from "../calling.ts";
import { finishSlice, submit } from "./submitting.ts";

let person: Person;
/** Of three slices: some failed in the first, all in the second, none in the third. */
let whole: { id: string; text: string; succeeded: string; failed: string };

const line = (at: number) => ({
  text: `{"custom_id":"item-${at}"}`,
  ok: at < 2 * SLICE && at % 3 !== 0,
});
const inSlice = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => {
    const one = line(from + at);
    return { ...one, ok: from === SLICE ? false : from === 2 * SLICE ? true : one.ok };
  });
const slices = [inSlice(0, SLICE), inSlice(SLICE, 2 * SLICE), inSlice(2 * SLICE, 2 * SLICE + 6)];
const textOf = (lines: readonly { text: string }[]) =>
  lines.map(({ text }) => `${text}\n`).join("");

beforeAll(async () => {
  person = await newPerson();
  const { id } = await submit(person, 2 * SLICE + 6);
  for (const lines of slices) await finishSlice(person, id, lines);
  const all = slices.flat();
  whole = {
    ...{ id, text: textOf(all), succeeded: textOf(all.filter(({ ok }) => ok)) },
    failed: textOf(all.filter(({ ok }) => !ok)),
  };
});

function results(id: string, query = "", headers: Record<string, string> = {}): Promise<Response> {
  return call(`/v1/jobs/${id}/results${query}`, { key: person.key, headers });
}

describe("the results of a Job that has ended", () => {
  test("are all lines in input order", async () => {
    const response = await results(whole.id);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(response.headers.get("x-job-complete")).toBe("true");
    expect(response.headers.get("content-length")).toBe(String(whole.text.length));
    expect(response.headers.get("content-disposition")).toContain(`${whole.id}-results.jsonl`);
    expect(await response.text()).toBe(whole.text);
  });

  test("are those of one kind if asked", async () => {
    expect(await (await results(whole.id, "?only=succeeded")).text()).toBe(whole.succeeded);
    expect(await (await results(whole.id, "?only=failed")).text()).toBe(whole.failed);
    expect(await errorOf(results(whole.id, "?only=all"))).toMatchObject({ status: 400 });
  });

  test("may be read by any range, within a slice or over several", async () => {
    const size = whole.text.length;
    const middle = textOf(slices[0] ?? []).length;
    const ranges: [string, number, number][] = [
      ["bytes=0-0", 0, 0],
      [`bytes=${middle - 5}-${middle + 5}`, middle - 5, middle + 5],
      [`bytes=${middle}-`, middle, size - 1],
      ["bytes=-7", size - 7, size - 1],
      [`bytes=5-${10 * size}`, 5, size - 1],
    ];
    for (const [range, first, last] of ranges) {
      const response = await results(whole.id, "", { range });
      expect(response.status).toBe(206);
      expect(response.headers.get("content-range")).toBe(`bytes ${first}-${last}/${size}`);
      expect(await response.text()).toBe(whole.text.slice(first, last + 1));
    }
    const ofKind = await results(whole.id, "?only=failed", { range: "bytes=3-30" });
    expect(await ofKind.text()).toBe(whole.failed.slice(3, 31));
  });

  test("by a range behind their end are a 416 with their size", async () => {
    const size = whole.text.length;
    const response = await results(whole.id, "", { range: `bytes=${size}-` });
    expect(response.headers.get("content-range")).toBe(`bytes */${size}`);
    const error = await errorOf(response);
    expect(error).toMatchObject({ status: 416, code: "range_not_satisfiable" });
  });

  test("go on by If-Range only while it is the same file", async () => {
    const etag = (await results(whole.id)).headers.get("etag") ?? "";
    const range = "bytes=10-";
    const same = await results(whole.id, "", { range, "if-range": etag });
    expect([same.status, await same.text()]).toEqual([206, whole.text.slice(10)]);
    const other = await results(whole.id, "?only=failed", { range, "if-range": etag });
    expect([other.status, await other.text()]).toEqual([200, whole.failed]);
  });

  test("by HEAD are their headers alone", async () => {
    const path = `/v1/jobs/${whole.id}/results`;
    const response = await call(path, { method: "HEAD", key: person.key });
    expect(response.status).toBe(200);
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(await response.text()).toBe("");
  });
});

describe("the results of a Job that runs", () => {
  test("are what is done so far, and say that more may come", async () => {
    const { id } = await submit(person, 2 * SLICE + 6);
    const empty = await results(id);
    expect([empty.status, await empty.text()]).toEqual([200, ""]);
    expect(empty.headers.get("x-job-complete")).toBe("false");
    expect(await errorOf(results(id, "", { range: "bytes=0-" }))).toMatchObject({ status: 416 });
    await finishSlice(person, id, inSlice(0, SLICE));
    const first = textOf(inSlice(0, SLICE));
    const part = await results(id, "", { range: "bytes=0-" });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 0-${first.length - 1}/*`);
    expect(await part.text()).toBe(first);
    await finishSlice(person, id, inSlice(SLICE, 2 * SLICE));
    const rest = await results(id, "", { range: `bytes=${first.length}-` });
    expect(await rest.text()).toBe(textOf(inSlice(SLICE, 2 * SLICE)));
  });
});

test("a download whose bytes are missing breaks off, and is no short file", async () => {
  const { id } = await submit(person, SLICE + 8);
  await finishSlice(person, id, inSlice(0, SLICE));
  await finishSlice(person, id, inSlice(2 * SLICE, 2 * SLICE + 8));
  await env.JOB_STORE.delete(jobPartKey(person.id, id, { from: SLICE, attempt: 1 }, "all"));
  const response = await results(id);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});
