import { expect, test } from "vitest";
import { APP_KEY_SECONDS, APP_KEYS_MOST } from "../../src/contract/app-keys.ts";
import { mayGoOn } from "../../src/core/admission.ts";
import { addAppKey, endAppKeys } from "../../src/core/app-keys.ts";
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
