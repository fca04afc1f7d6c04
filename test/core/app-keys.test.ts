import { expect, test } from "vitest";
import { APP_KEY_SECONDS, APP_KEYS_MOST } from "../../src/contract/app-keys.ts";
import { mayGoOn } from "../../src/core/admission.ts";
import { addAppKey, endAppKeys, revokeAppKey } from "../../src/core/app-keys.ts";
import { renewHold, settle } from "../../src/core/ledger.ts";
import { account, ask, completion, NO_LINE, NOW, refusalOf } from "./account-states.ts";

const keyHash = "of the App";

function signedIn() {
  const { state } = account(1_000);
  addAppKey(state.appKeys, { keyHash, sessionId: "session" }, NOW);
  return state;
}

test("the App's key starts Completions under the App's id, until it expires", () => {
  const state = signedIn();
  expect(ask(state, completion({ keyHash }))).toMatchObject({ decision: "admitted", keyId: "app" });
  const later = NOW + APP_KEY_SECONDS * 1_000;
  const late = ask(state, completion({ keyHash }), NO_LINE, later);
  expect(refusalOf(late)).toMatchObject({ reason: "key_expired" });
});

test("a session that ends cuts the streams it began, and no other's", () => {
  const state = signedIn();
  addAppKey(state.appKeys, { keyHash: "other", sessionId: "other" }, NOW);
  const [mine, theirs, script] = [
    completion({ keyHash }),
    completion({ keyHash: "other" }),
    completion(),
  ];
  for (const request of [mine, theirs, script]) ask(state, request);
  endAppKeys(state.appKeys, "session");
  const goesOn = ({ requestId }: { requestId: string }, keyId = "app") =>
    mayGoOn(state, { requestId, keyId }, NOW).goOn;
  expect([goesOn(mine), goesOn(theirs), goesOn(script, "key")]).toEqual([false, true, true]);
});

test("a stream from before a crash ends with whichever session ends next", () => {
  const { state } = account(1_000);
  const usage = { promptTokens: 0, completionTokens: 0 };
  const [page, script] = ["app", "key"].map((keyId) => {
    const run = { requestId: `of ${keyId}`, keyId, model: "model", held: 20 };
    renewHold(state.ledger, run, usage, NOW + 1);
    return () => mayGoOn(state, run, NOW).goOn;
  });
  expect([page?.(), script?.()]).toEqual([true, true]);
  endAppKeys(state.appKeys, "session");
  expect([page?.(), script?.()]).toEqual([false, true]);
  settle(state.ledger, { requestId: "of app", keyId: "app", model: "model", held: 20 }, usage, NOW);
  expect(page?.()).toBe(true);
});

test("one that leaked starts nothing and cuts what it began, and says why; the session's others go on", () => {
  const state = signedIn();
  addAppKey(state.appKeys, { keyHash: "another tab", sessionId: "session" }, NOW);
  const [mine, theirs] = [completion({ keyHash }), completion({ keyHash: "another tab" })];
  for (const request of [mine, theirs]) ask(state, request);
  expect(revokeAppKey(state.appKeys, keyHash, "in a gist", NOW + 1)).toMatchObject({
    ...{ isFirst: true, key: { revokedAt: NOW + 1, revokedWhy: "in a gist" } },
  });
  expect(revokeAppKey(state.appKeys, keyHash, "in a log", NOW + 2)).toMatchObject({
    ...{ isFirst: false, key: { revokedAt: NOW + 1, revokedWhy: "in a gist" } },
  });
  expect(revokeAppKey(state.appKeys, "none", "in a log", NOW)).toBeNull();
  const why = { reason: "key_revoked", why: "in a gist" };
  expect(refusalOf(ask(state, completion({ keyHash })))).toMatchObject(why);
  const verdict = ({ requestId }: { requestId: string }) =>
    mayGoOn(state, { requestId, keyId: "app" }, NOW);
  expect(verdict(mine)).toMatchObject({ goOn: false, refusal: why });
  expect(verdict(theirs)).toEqual({ goOn: true });
  expect(ask(state, completion({ keyHash: "another tab" }))).toMatchObject({ keyId: "app" });
});

test("a disabled person's stream ends, whatever it began with", () => {
  const state = signedIn();
  const request = completion({ keyHash });
  ask(state, request);
  state.profile.disabled = true;
  const { requestId } = request;
  expect(mayGoOn(state, { requestId, keyId: "app" }, NOW).goOn).toBe(false);
});

test("the oldest key makes room", () => {
  const state = signedIn();
  for (let more = 0; more < APP_KEYS_MOST; more += 1) {
    addAppKey(state.appKeys, { keyHash: `${more}`, sessionId: "session" }, NOW);
  }
  expect(state.appKeys.byHash.size).toBe(APP_KEYS_MOST);
  expect(refusalOf(ask(state, completion({ keyHash })))).toEqual({ reason: "key_unknown" });
});
