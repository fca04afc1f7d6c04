// Somebody with 10,000 keys that were all used: their pages are as light as anybody's.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { newVisitor, type Visitor, words } from "./visitor.ts";

const MANY = 10_000;

/** Of a page itself; compressed it is a fraction of that. */
const PAGE_CHARACTERS_MOST = 80_000;

let busy: Visitor;

beforeAll(async () => {
  busy = await newVisitor();
  const stub = env.ACCOUNT.getByName(busy.id);
  const day = new Date().toISOString().slice(0, 10);
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})`;
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    sql.exec(
      `${numbers} INSERT INTO keys (id, hash, name, start, scope, created_at)
       SELECT 'key_' || i, 'hash ' || i, 'number ' || i, 'ctn_', 'completions', i FROM n`,
    );
    sql.exec(
      `${numbers} INSERT INTO usage
       (day, model, key_id, requests, prompt_tokens, completion_tokens)
       SELECT ?, 'local', 'key_' || i, 1, 10, 5 FROM n`,
      day,
    );
  });
  await evictDurableObject(stub);
});

test.each([
  ["/keys", "1 to 50 of 10,000"],
  ["/keys?page=200", "9,951 to 10,000 of 10,000"],
  ["/usage", "1 to 50 of 10,000"],
  ["/usage?by=key&page=200", "9,951 to 10,000 of 10,000"],
])("%s shows a page of them", { timeout: 30_000 }, async (path, place) => {
  const html = await (await busy.get(path)).text();
  expect(html.length).toBeLessThan(PAGE_CHARACTERS_MOST);
  const shown = await words(new Response(html));
  expect(shown).toContain(place);
  if (path.startsWith("/usage")) expect(shown).toContain("150,000 tokens");
});
