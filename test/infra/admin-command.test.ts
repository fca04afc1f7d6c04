// What the operator's command asks of the admin API for requests and the audit log. The API is a
// server that writes down what it is asked; what the routes do is tested in the Worker.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const key = "an-admin-key";
const person = { id: "0123456789abcdef", email: "ada@example.org" };

let asked: string[] = [];
/** By `METHOD path?query`; anything else answers an empty object. */
let answers: Record<string, object> = {};

const server = createServer(async (request, response) => {
  const body = await text(request);
  const call = `${request.method} ${decodeURIComponent(request.url ?? "")}`;
  asked.push(body === "" ? call : `${call} ${body}`);
  const known = request.headers.authorization === `Bearer ${key}`;
  const refusal = { error: { message: "Not an API key of this service." } };
  response.statusCode = known ? 200 : 401;
  response.end(JSON.stringify(known ? (answers[call] ?? {}) : refusal));
});

async function command(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ["infra/admin/main.ts", ...words, "--url", url];
  const env = { ...process.env, CONTINUO_ADMIN_KEY: key };
  return await promisify(execFile)(process.execPath, args, { env });
}

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
beforeEach(() => {
  asked = [];
  answers = {
    "GET /v1/admin/people?email=ada@example.org": { data: [person], next: null },
  };
});
afterAll(() => {
  server.close();
});

describe("requests", () => {
  test("list asks for the open ones, over all pages", async () => {
    answers["GET /v1/admin/token-requests?state=open"] = { data: [{ id: "two" }], next: "7" };
    answers["GET /v1/admin/token-requests?state=open&after=7"] = {
      ...{ data: [{ id: "one" }], next: null },
    };
    const { stdout } = await command("requests", "list");
    expect(JSON.parse(stdout)).toEqual([{ id: "two" }, { id: "one" }]);
  });

  test("list asks for all of one person", async () => {
    const all = `GET /v1/admin/token-requests?person=${person.id}`;
    answers[all] = { data: [], next: null };
    await command("requests", "list", "--state", "all", "--person", person.email);
    expect(asked).toEqual(["GET /v1/admin/people?email=ada@example.org", all]);
  });

  test("approve and reject send what was said, and nothing else", async () => {
    await command("requests", "approve", "request_x");
    await command("requests", "approve", "request_x", "--tokens", "1_000", "--note", "go on");
    await command("requests", "reject", "request_x", "--note", "no GPUs");
    expect(asked).toEqual([
      "POST /v1/admin/token-requests/request_x/approve {}",
      'POST /v1/admin/token-requests/request_x/approve {"tokens":1000,"note":"go on"}',
      'POST /v1/admin/token-requests/request_x/reject {"note":"no GPUs"}',
    ]);
  });

  test("with another word says which there are, and asks nothing", async () => {
    const failing = command("requests", "aprove", "request_x");
    await expect(failing).rejects.toMatchObject({
      ...{ code: 1, stderr: "requests takes list, approve ID or reject ID.\n" },
    });
    expect(asked).toEqual([]);
  });
});

describe("audit", () => {
  test("filters by people's addresses, or by operator, and shows one page", async () => {
    const page = { object: "list", data: [], next: "5" };
    const query = `who=operator&whom=${person.id}&what=key.mint&after=9&limit=3`;
    answers[`GET /v1/admin/audit?${query}`] = page;
    const { stdout } = await command(
      ...["audit", "--who", "operator", "--whom", person.email, "--what", "key.mint"],
      ...["--limit", "3", "--after", "9"],
    );
    expect(JSON.parse(stdout)).toEqual(page);
  });
});

describe("person invite", () => {
  test("finds the person by their address", async () => {
    await command("person", "invite", person.email, "--id", "again");
    expect(asked.at(-1)).toBe(`POST /v1/admin/people/${person.id}/invite {"id":"again"}`);
  });
});
