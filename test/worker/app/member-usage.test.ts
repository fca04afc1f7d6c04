import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { accountOf } from "../../../src/durable-objects/objects.ts";
import { admin, Backend, call, complete, read, settled } from "../calling.ts";
import { newVisitor, stranger, type Visitor, words } from "./visitor.ts";

let member: Visitor;
let key: string;
const name = `a "quoted", =long name ${"é".repeat(100)}`;

interface UsageAnswer {
  totals: {
    requests: number;
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
  };
  data: { day: string; model: string; key: { id: string; name: string }; total_tokens: number }[];
}

/** A member with a key of this name, and tokens. */
async function newUser(keyName: string) {
  const visitor = await newVisitor();
  await read(admin("POST", `/people/${visitor.id}/grants`, { tokens: 100_000 }));
  const minted = await read<{ id: string; key: string }>(
    admin("POST", `/people/${visitor.id}/keys`, { name: keyName }),
  );
  return { visitor, key: minted.key, keyId: minted.id };
}

async function use(person: { visitor: Visitor; key: string; keyId: string }): Promise<void> {
  const backend = new Backend();
  const answer = await complete(person.key, { prompt: backend.name });
  await answer.text();
  await settled({ id: person.visitor.id, key: person.key, keyId: person.keyId });
}

beforeAll(async () => {
  const user = await newUser(name);
  ({ visitor: member, key } = user);
  await use(user);
  await use(user);
});

function ofApi(query = ""): Promise<UsageAnswer> {
  return read(call(`/v1/usage${query}`, { key }));
}

describe("Usage", () => {
  test("has the numbers of /v1/usage: as bars, as a table, as CSV", async () => {
    const { totals, data } = await ofApi();
    expect(totals.requests).toBe(2);
    const shown = await words(member.get("/usage"));
    const total = totals.total_tokens.toLocaleString("en-US");
    expect(shown).toContain(`${total} tokens`);
    expect(shown).toContain(
      `${totals.prompt_tokens} of prompts and ${totals.completion_tokens} of completions, in 2 requests`,
    );
    const [row] = data;
    const html = await (await member.get("/usage")).text();
    expect(html).toContain(`<title>${row?.day} · local · ${total} tokens</title>`);
    const csv = await (await member.get("/usage/download.csv")).text();
    expect(csv.trimEnd().split("\r\n").at(-1)?.endsWith(`,${row?.total_tokens}`)).toBe(true);
  });

  test("by key names the key, also one of 200 characters", async () => {
    const html = await (await member.get("/usage?by=key")).text();
    expect(html).toContain("a &quot;quoted&quot;, =long name é");
    expect(html).toContain('aria-current="true">By key</a>');
  });

  test("of days in which nothing was used says so", async () => {
    const shown = await words(member.get("/usage?from=2020-01-01&to=2020-01-31"));
    expect(shown).toContain("Nothing was used in these days.");
  });

  test("of a year is drawn by month", async () => {
    const html = await (await member.get("/usage?from=2020-01-01&to=2020-12-31")).text();
    expect(html).toContain('value="2020-01-01"');
    const year = new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10);
    const bars = await (await member.get(`/usage?from=${year}`)).text();
    expect(bars).toContain("<title>Tokens by month and Model");
  });

  test.each([
    ["from=tomorrow", "Write days as 2026-12-31."],
    ["from=2026-01-02&to=2026-01-01", "The first day has to be before the last"],
    ["from=2001-01-01&to=2026-01-01", "The first day has to be before the last"],
  ])("with %s says what to write, and shows the last thirty days", async (query, why) => {
    const answer = await member.get(`/usage?${query}`);
    expect(answer.status).toBe(200);
    const shown = await words(answer);
    expect(shown).toContain(why);
    expect(shown).toContain("tokens");
  });

  test("of thousands of rows stands on pages", async () => {
    const busy = await newUser("busy");
    const account = accountOf(env, busy.visitor.id);
    for (let number = 0; number < 60; number += 1) {
      await account.mint({
        ...{ keyId: `key_${busy.visitor.id}_${number}`, keyHash: `hash ${number}`, start: "ctn_" },
        ...{
          name: `key ${number}`,
          scope: "completions",
          expiresAt: null,
          monthlyTokenLimit: null,
        },
      });
      const ended = {
        ...{ requestId: `req ${number}`, keyId: `key_${busy.visitor.id}_${number}` },
        ...{ model: "local", held: 10, usage: { promptTokens: 5, completionTokens: 5 } },
      };
      await account.settle(ended, { wait: false });
    }
    const first = await (await busy.visitor.get("/usage?by=key")).text();
    expect(first.match(/<tr>/g)).toHaveLength(51);
    expect(first).toContain("Others");
    expect(first).toContain("page=2");
    expect(await words(busy.visitor.get("/usage?by=key&page=2"))).toContain("51 to 60 of 60");
  });
});

describe("the CSV", () => {
  test("quotes names, and keeps spreadsheets from running them", async () => {
    const user = await newUser('=cmd("x"),1');
    await use(user);
    const answer = await user.visitor.get("/usage/download.csv");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="usage-/);
    const lines = (await answer.text()).split("\r\n");
    expect(lines[0]).toBe(
      "day,model,key_id,key_name,requests,prompt_tokens,completion_tokens,total_tokens",
    );
    expect(lines[1]).toContain(`${user.keyId},"'=cmd(""x""),1",1,`);
  });
});

describe("another person", () => {
  test("sees none of it", async () => {
    const other = await newVisitor();
    for (const path of ["/usage", "/usage?by=key", `/usage?person=${member.id}`]) {
      expect(await words(other.get(path))).toContain("Nothing was used in these days.");
    }
    const csv = await (await other.get("/usage/download.csv")).text();
    expect(csv.trimEnd().split("\r\n")).toHaveLength(1);
  });

  test.each(["/usage", "/usage/download.csv?from=2026-01-01"])(
    "without a session is led from %s to the sign-in page",
    async (path) => {
      const answer = await stranger.get(path);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    },
  );
});
