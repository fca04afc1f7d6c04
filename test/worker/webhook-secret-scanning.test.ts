// GitHub has found keys. It is played by a server with key pairs of its own.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { FOUND_KEYS_MAX_BYTES, FOUND_KEYS_MOST } from "../../src/contract/secret-scanning.ts";
import { directoryOf } from "../../src/durable-objects/objects.ts";
import { sha256 } from "../../src/worker/auth/api-key.ts";
import { GithubKeys } from "../../src/worker/webhooks/github-keys.ts";
import { newVisitor } from "./app/visitor.ts";
import { admin, audit, call, errorOf, newPerson, read } from "./calling.ts";

declare module "vitest" {
  interface ProvidedContext {
    githubUrl: string;
  }
}

const PATH = "/webhooks/github/secret-scanning";
const github = inject("githubUrl");
const TYPE = "continuo_api_key";
const URL_OF_FIND = "https://github.com/octocat/Hello-World/blob/1234/foo/bar.txt";

interface Signature {
  identifier: string;
  signature: string;
}

async function sign(body: string, by = "one"): Promise<Signature> {
  const response = await fetch(`${github}/sign/${by}`, { method: "POST", body });
  return (await response.json()) as Signature;
}

/** As GitHub sends it; a part of the signature may be another's. */
async function send(found: unknown, change: Partial<Signature> = {}, by = "one") {
  const body = typeof found === "string" ? found : JSON.stringify(found);
  const { identifier, signature } = { ...(await sign(body, by)), ...change };
  const headers = {
    "github-public-key-identifier": identifier,
    "github-public-key-signature": signature,
  };
  return call(PATH, { method: "POST", body, headers });
}

function found(token: string, change: object = {}) {
  return { token, type: TYPE, url: URL_OF_FIND, source: "content", ...change };
}

const madeUp = `ctn_${"a".repeat(16)}_${"b".repeat(40)}`;

describe("keys that GitHub has found", () => {
  test("are revoked where they are real, and GitHub hears which were", async () => {
    const { id, key, keyId } = await newPerson();
    const response = await send([found(key), found(madeUp)]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([
      { token_hash: await sha256(key), token_type: TYPE, label: "true_positive" },
      { token_hash: await sha256(madeUp), token_type: TYPE, label: "false_positive" },
    ]);
    const error = await errorOf(call("/v1/account", { key }));
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(error.message).toContain(URL_OF_FIND);
    const reason = `found in public by GitHub: content, ${URL_OF_FIND}`;
    const detail = { keyId, reason, source: "github" };
    expect(await audit(id)).toContainEqual({ who: "webhook", what: "key.revoke", detail });
    expect(await directoryOf(env).keyNotices(id)).toMatchObject([
      { source: "github", why: reason },
    ]);
  });

  test("and finds again were real, whoever revoked them first", async () => {
    const { id, key, keyId } = await newPerson();
    await read(admin("POST", `/keys/${keyId}/revoke`, { reason: "rotated" }));
    for (const _ of [1, 2]) {
      expect(await (await send([found(key)])).json()).toMatchObject([{ label: "true_positive" }]);
    }
    expect((await errorOf(call("/v1/account", { key }))).message).toContain("rotated");
    expect((await audit(id)).filter(({ what }) => what === "key.revoke")).toHaveLength(1);
  });

  test("stand in no log and no reason, not even by the address where they were found", async () => {
    const { id, key } = await newPerson();
    await send([found(key, { url: `https://github.com/x/${key}`, source: "gist_content" })]);
    const rows = JSON.stringify([await audit(id), await directoryOf(env).keyNotices(id)]);
    expect(rows).toContain("gist_content, https://github.com/x/ctn_…");
    expect(rows).not.toContain(key);
  });

  test("come as in the sample of GitHub's docs, signed with GitHub's own key", async () => {
    const body =
      '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]';
    const response = await send(body, {
      identifier: "bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c",
      signature:
        "MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==",
    });
    const token_hash = await sha256("some_token");
    expect(await response.json()).toEqual([
      { token_hash, token_type: "some_type", label: "false_positive" },
    ]);
  });

  test("may come without an address, and many at a time", async () => {
    const { key } = await newPerson();
    const many = Array.from({ length: 500 }, (_, i) => found(`${madeUp.slice(0, -4)}${1000 + i}`));
    const response = await send([...many, { token: key, type: TYPE }]);
    const labels = ((await response.json()) as { label: string }[]).map(({ label }) => label);
    expect(labels.filter((label) => label === "true_positive")).toHaveLength(1);
    expect(labels).toHaveLength(501);
  });

  test("are real where the App made them for its pages, also once they are forgotten", async () => {
    const visitor = await newVisitor();
    const { key } = await read<{ key: string }>(visitor.post("/app/session-key"));
    const reason = `found in public by GitHub: content, ${URL_OF_FIND}`;
    for (const _ of [1, 2]) {
      expect(await (await send([found(key)])).json()).toMatchObject([{ label: "true_positive" }]);
    }
    const error = await errorOf(call("/v1/account", { key }));
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(error.message).toContain(reason);
    const detail = { keyId: "app", reason, source: "github" };
    const revoked = (await audit(visitor.id)).filter(({ what }) => what === "key.revoke");
    expect(revoked).toEqual([{ who: "webhook", what: "key.revoke", detail }]);
    await visitor.post("/sign-out");
    expect(await (await send([found(key)])).json()).toMatchObject([{ label: "true_positive" }]);
  });

  test("are none where there are none", async () => {
    expect(await (await send([])).json()).toEqual([]);
  });
});

describe("what is not GitHub's", () => {
  let key: string;
  beforeEach(async () => {
    ({ key } = await newPerson());
  });

  test.each([
    ["by a key that GitHub does not publish", {}, "unpublished"],
    ["by another key than it names", { identifier: "0".repeat(64) }, "one"],
    ["with no identifier", { identifier: "" }, "one"],
    ["with no signature", { signature: "" }, "one"],
    ["with a signature that is no base64", { signature: "%" }, "one"],
    ["with a signature that is cut off", { signature: "MEUCIQDf" }, "one"],
  ])("is refused: signed %s", async (_, change, by) => {
    const error = await errorOf(send([found(key)], change, by));
    expect(error).toMatchObject({ status: 401, code: "invalid_signature" });
    expect((await call("/v1/account", { key })).status).toBe(200);
  });

  test("is refused where the other published key has signed it, or another body", async () => {
    const { identifier } = await sign("", "two");
    expect(await errorOf(send([found(key)], { identifier }))).toMatchObject({ status: 401 });
    const { signature } = await sign("[]");
    expect(await errorOf(send([found(key)], { signature }))).toMatchObject({ status: 401 });
    expect((await call("/v1/account", { key })).status).toBe(200);
  });

  test("is refused where it is signed, and no list of finds", async () => {
    for (const body of ["{", "{}", '[{"type":"x"}]']) {
      expect(await errorOf(send(body))).toMatchObject({ status: 400, code: "invalid_request" });
    }
    const large = JSON.stringify([found("x".repeat(FOUND_KEYS_MAX_BYTES))]);
    expect(await errorOf(send(large))).toMatchObject({ status: 413 });
    const many = Array.from({ length: FOUND_KEYS_MOST + 1 }, () => ({ token: key, type: TYPE }));
    const error = await errorOf(send(many));
    expect(error).toMatchObject({ status: 413, code: "request_too_large" });
    expect(error.message).toContain("1001 matches, and may have 1000");
    expect((await call("/v1/account", { key })).status).toBe(200);
  });
});

describe("GitHub's public keys", () => {
  const NOW = Date.UTC(2100, 0, 1);
  const told = async () => {
    const response = await fetch(`${github}/asked`);
    return (await response.json()) as { asked: number; authorization: string | null };
  };
  const asked = async () => (await told()).asked;

  test("are asked for once, and again when they are an hour old", async () => {
    const keys = new GithubKeys(`${github}/keys`);
    const { identifier } = await sign("x");
    const before = await asked();
    for (const at of [0, 1, 3_599_999])
      expect(await keys.find(identifier, NOW + at)).not.toBeNull();
    expect((await asked()) - before).toBe(1);
    await keys.find(identifier, NOW + 3_600_000);
    expect((await asked()) - before).toBe(2);
  });

  test("are not asked for by made-up identifiers more than once in five minutes", async () => {
    const keys = new GithubKeys(`${github}/keys`);
    const before = await asked();
    for (let i = 0; i < 100; i++) {
      const identifier = (await sha256(String(i))).slice(0, 64);
      expect(await keys.find(identifier, NOW + i)).toBeNull();
    }
    expect((await asked()) - before).toBe(1);
    await keys.find("0".repeat(64), NOW + 299_999);
    expect((await asked()) - before).toBe(1);
    await keys.find("0".repeat(64), NOW + 300_000);
    expect((await asked()) - before).toBe(2);
  });

  test("are not asked for by all who come at once", async () => {
    const keys = new GithubKeys(`${github}/keys`);
    const before = await asked();
    const { identifier } = await sign("x");
    await Promise.allSettled(Array.from({ length: 50 }, () => keys.find(identifier, NOW)));
    expect((await asked()) - before).toBeLessThanOrEqual(2);
    expect(await keys.find(identifier, NOW)).not.toBeNull();
  });

  test("are asked for again where all who asked were cut off in it", async () => {
    const real = globalThis.fetch;
    const keys = new GithubKeys(`${github}/keys`);
    const { identifier } = await sign("x");
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    for (const _ of [1, 2]) void keys.find(identifier, NOW);
    vi.stubGlobal("fetch", real);
    await expect(keys.find(identifier, NOW + 4_999)).rejects.toThrow("could not be read");
    expect(await keys.find(identifier, NOW + 5_000)).not.toBeNull();
    vi.unstubAllGlobals();
  });

  test("are trusted for a day where GitHub does not tell them again", async () => {
    let isDown = false;
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", (url: string, init: RequestInit) =>
      isDown ? Promise.reject(new Error("down")) : real(url, init),
    );
    try {
      const keys = new GithubKeys(`${github}/keys`);
      const { identifier } = await sign("x");
      expect(await keys.find(identifier, NOW)).not.toBeNull();
      isDown = true;
      expect(await keys.find(identifier, NOW + 86_399_999)).not.toBeNull();
      await expect(keys.find(identifier, NOW + 86_400_000)).rejects.toThrow("could not be read");
      await expect(keys.find("0".repeat(64), NOW + 86_500_000)).rejects.toThrow("down");
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("are asked for with the operator's token, where there is one", async () => {
    const { identifier } = await sign("x");
    await new GithubKeys(`${github}/keys`, "a token").find(identifier, NOW);
    expect((await told()).authorization).toBe("Bearer a token");
    await new GithubKeys(`${github}/keys`).find(identifier, NOW);
    expect((await told()).authorization).toBeNull();
  });

  test("that cannot be read refuse nobody as a stranger, and are not asked for at every try", async () => {
    const before = await asked();
    const keys = new GithubKeys(`${github}/nothing`);
    await expect(keys.find("0".repeat(64), NOW)).rejects.toThrow("status 404");
    await expect(keys.find("0".repeat(64), NOW + 1)).rejects.toThrow("could not be read");
    expect(await asked()).toBe(before);
  });
});
