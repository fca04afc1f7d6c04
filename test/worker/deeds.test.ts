// Who may do what: a form that forgets to ask gives nobody another's keys, or an Admin's powers.
import { env } from "cloudflare:workers";
import type { Context } from "hono";
import { describe, expect, test } from "vitest";
import { accountOf, directoryOf, spendLimitOf } from "../../src/durable-objects/objects.ts";
import { grantTokens } from "../../src/worker/deeds/grants.ts";
import { changeKey, mintKey, type NewKey, revokeKey } from "../../src/worker/deeds/keys.ts";
import { passConformance, wakeModel } from "../../src/worker/deeds/models.ts";
import { addPerson, changePerson, invitePerson } from "../../src/worker/deeds/people.ts";
import { changeSpend } from "../../src/worker/deeds/spend.ts";
import {
  approveRequest,
  askForTokens,
  rejectRequest,
  withdrawRequest,
} from "../../src/worker/deeds/token-requests.ts";
import type { AppEnv } from "../../src/worker/environment.ts";
import { gatedModel, sleepingModel } from "./bindings.ts";
import { admin, audit, call, newPerson, read, view } from "./calling.ts";
import { doing, refusalOf } from "./doing.ts";

const key: NewKey = {
  ...{ name: "laptop", scope: "completions", expiresAt: null, monthlyTokenLimit: null },
};

describe("a Member", () => {
  test("mints, renames and revokes own keys, and each has its row", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const rows = (await audit(id)).length;
    const minted = await doing((c) => mintKey(c, id, id, key));
    expect((await call("/v1/account", { key: minted.secret })).status).toBe(200);
    const changed = await doing((c) => changeKey(c, id, minted.key.id, { name: "desk" }));
    expect(changed).toMatchObject({ id: minted.key.id, name: "desk" });
    await doing((c) => revokeKey(c, id, minted.key.id, "lost"));
    expect((await call("/v1/account", { key: minted.secret })).status).toBe(401);
    expect((await audit(id)).slice(rows)).toMatchObject([
      { who: id, what: "key.mint" },
      { who: id, what: "key.change" },
      { who: id, what: "key.revoke" },
    ]);
  });

  test("finds no key of another person, and nothing happens to it", async () => {
    const [eve, ada] = [await newPerson({ tokens: 0 }), await newPerson({ tokens: 0 })];
    const rows = await audit(ada.id);
    for (const deed of [
      (c: Context<AppEnv>) => mintKey(c, eve.id, ada.id, key),
      (c: Context<AppEnv>) => changeKey(c, eve.id, ada.keyId, { name: "mine" }),
      (c: Context<AppEnv>) => revokeKey(c, eve.id, ada.keyId, "mine"),
    ]) {
      expect(await refusalOf(deed)).toMatchObject({ code: "not_found" });
    }
    expect(await accountOf(env, ada.id).keys()).toMatchObject([{ name: "key", revokedAt: null }]);
    expect(await audit(ada.id)).toEqual(rows);
  });

  test("does nothing that only an Admin may", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const asked = await doing((c) => askForTokens(c, id, { tokens: 5, reason: "a sweep" }));
    const deeds: ((c: Context<AppEnv>) => Promise<unknown>)[] = [
      (c) => addPerson(c, id, { email: "friend@example.org", role: "member" }),
      (c) => changePerson(c, id, id, { role: "admin" }),
      (c) => invitePerson(c, id, id),
      (c) => grantTokens(c, id, id, { tokens: 5, note: "", expiresAt: null }),
      (c) => mintKey(c, id, id, { ...key, scope: "admin" }),
      (c) => approveRequest(c, id, asked.id, { note: "" }),
      (c) => rejectRequest(c, id, asked.id, { note: "no" }),
      (c) => changeSpend(c, id, { limitUsd: 1 }),
      (c) => wakeModel(c, id, sleepingModel),
      (c) => passConformance(c, id, "local", { revision: "0", cases: 1 }),
    ];
    const rows = await audit(id);
    for (const deed of deeds)
      expect(await refusalOf(deed)).toMatchObject({ code: "admin_required" });
    expect(await audit(id)).toEqual(rows);
    expect(await directoryOf(env).tokenRequest(asked.id)).toMatchObject({ state: "open" });
  });
});

describe("waking a Model", () => {
  function waked(who: string) {
    const filter = { who, whom: null, what: "model.wake", after: null, limit: 10 };
    return directoryOf(env).audit(filter);
  }

  test("is for Admins, and a repeat has no second row", async () => {
    const { id } = await newPerson({ tokens: 0, role: "admin" });
    for (const _ of [1, 2]) await doing((c) => wakeModel(c, id, sleepingModel, { id: "once" }));
    expect((await waked(id)).rows).toMatchObject([{ detail: { model: sleepingModel } }]);
    const unknown = await refusalOf((c) => wakeModel(c, id, "none"));
    expect(unknown).toMatchObject({ code: "model_not_found" });
  });

  test("is for nobody while new GPU work is paused", async () => {
    const { id } = await newPerson({ tokens: 0, role: "admin" });
    await spendLimitOf(env).change({ pausedByHand: true });
    const refused = await refusalOf((c) => wakeModel(c, id, gatedModel));
    expect(refused).toMatchObject({ code: "spend_cap" });
    expect((await waked(id)).rows).toEqual([]);
  });
});

describe("an Admin", () => {
  test("acts on a Member's keys, and no more once a Member or disabled", async () => {
    const ada = await newPerson({ tokens: 0 });
    const root = await newPerson({ tokens: 0, role: "admin", scope: "admin" });
    await doing((c) => changeKey(c, root.id, ada.keyId, { name: "renamed" }));
    for (const change of [{ role: "member" }, { role: "admin", disabled: true }]) {
      await read(admin("PATCH", `/people/${root.id}`, change));
      const revoking = (c: Context<AppEnv>) => revokeKey(c, root.id, ada.keyId, "x");
      expect(await refusalOf(revoking)).toMatchObject({ code: "not_found" });
    }
    expect(await accountOf(env, ada.id).keys()).toMatchObject([{ name: "renamed" }]);
  });
});

describe("asking for tokens", () => {
  test("is for oneself, once, and has its row", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const ask = { id: "first", tokens: 1_000, reason: " a sweep " };
    const asked = await doing((c) => askForTokens(c, id, ask));
    expect(asked).toMatchObject({ personId: id, tokens: 1_000, reason: "a sweep", state: "open" });
    expect(await doing((c) => askForTokens(c, id, ask))).toEqual(asked);
    const rows = (await audit(id)).filter(({ what }) => what === "request.ask");
    expect(rows).toEqual([
      { who: id, what: "request.ask", detail: { request: asked.id, tokens: 1_000 } },
    ]);
  });

  test("is refused while a request is open, and with other content under its id", async () => {
    const { id } = await newPerson({ tokens: 0 });
    const ask = { id: "first", tokens: 1_000, reason: "a sweep" };
    const asked = await doing((c) => askForTokens(c, id, ask));
    const second = await refusalOf((c) => askForTokens(c, id, { ...ask, id: "second" }));
    expect(second).toMatchObject({ code: "conflict" });
    expect(second.message).toContain("withdraw it first");
    const other = await refusalOf((c) => askForTokens(c, id, { ...ask, tokens: 2 }));
    expect(other).toMatchObject({ code: "idempotency_conflict" });
    await doing((c) => withdrawRequest(c, id, asked.id));
    expect(await doing((c) => askForTokens(c, id, { ...ask, id: "second" }))).toMatchObject({
      state: "open",
    });
  });

  test.each([
    [{ tokens: 0, reason: "x" }, "tokens"],
    [{ tokens: 1.5, reason: "x" }, "tokens"],
    [{ tokens: 5, reason: " " }, "reason"],
    [{ tokens: 5, reason: "x".repeat(2_001) }, "reason"],
    [{ id: "Not An Id", tokens: 5, reason: "x" }, "id"],
  ])("%j is refused by the field's name", async (ask, param) => {
    const { id } = await newPerson({ tokens: 0 });
    const refusal = await refusalOf((c) => askForTokens(c, id, ask));
    expect(refusal).toMatchObject({ code: "invalid_request", param });
  });

  test("is nothing that the operator or a stranger can do", async () => {
    for (const who of ["operator", "0".repeat(16)]) {
      const refusal = await refusalOf((c) => askForTokens(c, who, { tokens: 5, reason: "x" }));
      expect(refusal).toMatchObject({ code: "not_found" });
    }
  });
});

describe("withdrawing a request", () => {
  test("is one's own to do, repeatable, and has its row", async () => {
    const [ada, eve] = [await newPerson({ tokens: 0 }), await newPerson({ tokens: 0 })];
    const { id } = await doing((c) => askForTokens(c, ada.id, { tokens: 5, reason: "x" }));
    const byEve = await refusalOf((c) => withdrawRequest(c, eve.id, id));
    expect(byEve).toMatchObject({ code: "not_found" });
    const withdrawn = await doing((c) => withdrawRequest(c, ada.id, id));
    expect(withdrawn).toMatchObject({ state: "withdrawn" });
    expect(await doing((c) => withdrawRequest(c, ada.id, id))).toEqual(withdrawn);
    const rows = (await audit(ada.id)).filter(({ what }) => what === "request.withdraw");
    expect(rows).toEqual([{ who: ada.id, what: "request.withdraw", detail: { request: id } }]);
  });

  test("comes too late for one that has its answer", async () => {
    const ada = await newPerson({ tokens: 0 });
    const { id } = await doing((c) => askForTokens(c, ada.id, { tokens: 5, reason: "x" }));
    await doing((c) => approveRequest(c, "operator", id, { note: "" }));
    const late = await refusalOf((c) => withdrawRequest(c, ada.id, id));
    expect(late).toMatchObject({ code: "conflict" });
    expect((await view(ada)).tokens.granted).toBe(5);
  });
});
