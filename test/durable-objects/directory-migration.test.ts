// A Directory from before there was a sign-in goes on with its people and its audit log.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { INVITE_DAYS } from "../../src/contract/limits.ts";
import directorySql from "../../src/durable-objects/directory/0001-directory.sql";
import appSql from "../../src/durable-objects/directory/0002-app.sql";
import { migrate } from "../../src/durable-objects/migrate.ts";

test("people who were there before are invited from when they were added", async () => {
  const stub = env.DIRECTORY.getByName("one from before");
  await runInDurableObject(stub, (_, { storage }) => {
    for (const table of ["people", "subjects", "sessions", "token_requests", "audit", "migrations"])
      storage.sql.exec(`DROP TABLE ${table}`);
    migrate(storage, [directorySql]);
    storage.sql.exec("INSERT INTO people VALUES ('1', 'ada@example.org', 'admin', 0, 1000)");
    storage.sql.exec("INSERT INTO audit VALUES (1, 'add 1', 1000, 'operator', 'add', '1', '{}')");
    migrate(storage, [directorySql, appSql]);
    migrate(storage, [directorySql, appSql]);
    expect(storage.sql.exec("SELECT * FROM people").toArray()).toEqual([
      {
        ...{ id: "1", email: "ada@example.org", role: "admin", disabled: 0, created_at: 1_000 },
        ...{ invited_until: 1_000 + INVITE_DAYS * 86_400_000, last_signed_in_at: null },
      },
    ]);
    expect(storage.sql.exec("SELECT id FROM audit").toArray()).toEqual([{ id: "add 1" }]);
  });
});

test("a page of rows is read by an index, from where the last one ended", async () => {
  const stub = env.DIRECTORY.getByName("directory");
  await runInDurableObject(stub, (_, { storage }) => {
    const plan = (query: string) =>
      storage.sql
        .exec(`EXPLAIN QUERY PLAN ${query} AND seq < 9 ORDER BY seq DESC LIMIT 3`)
        .toArray()
        .map(({ detail }) => String(detail))
        .join("; ");
    for (const [query, index] of [
      ["SELECT * FROM audit WHERE who = 'x'", "audit_by_who"],
      ["SELECT * FROM audit WHERE whom = 'x'", "audit_by_whom"],
      ["SELECT * FROM audit WHERE what = 'x'", "audit_by_what"],
      ["SELECT * FROM token_requests WHERE person_id = 'x'", "token_requests_by_person"],
      ["SELECT * FROM token_requests WHERE state = 'open'", "token_requests_by_state"],
    ] as const) {
      expect(plan(query)).toContain(index);
      expect(plan(query)).not.toContain("TEMP B-TREE");
    }
  });
});
