import { describe, expect, test } from "vitest";
import leakedKeysPage from "../../docs/operate/leaked-keys.md?raw";
import { accountOfKeyId, KeyMint, newAccountId, newKeyId } from "../../src/worker/auth/api-key.ts";

const [FIRST, SECOND, THIRD] = ["1", "2", "3"].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
];

describe("an API key", () => {
  test("names its Account, and is read back to the hash that was minted", async () => {
    const mint = new KeyMint([FIRST]);
    const accountId = newAccountId();
    const { key, hash, start } = await mint.mint(accountId);
    expect(key).toMatch(/^ctn_[0-9a-z]{16}_[0-9a-z]{40}$/);
    expect(await mint.read(key)).toEqual({ accountId, hash });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(key.startsWith(start)).toBe(true);
    expect(key.length - start.length).toBeGreaterThan(35);
  });

  test("is another one each time", async () => {
    const mint = new KeyMint([FIRST]);
    const minted = await Promise.all([mint.mint("a".repeat(16)), mint.mint("a".repeat(16))]);
    expect(new Set(minted.map(({ key }) => key)).size).toBe(2);
  });

  test("is found whole, wherever it stands, by the expression that the docs tell GitHub", async () => {
    const registered = /\| Regular expression \| `([^`]+)` \|/.exec(leakedKeysPage)?.[1];
    if (registered === undefined) throw new Error("the page has no regular expression");
    const mint = new KeyMint([FIRST]);
    for (let i = 0; i < 200; i += 1) {
      const { key } = await mint.mint(newAccountId());
      const file = `export KEY="${key}"\ncurl -H 'Authorization: Bearer ${key}' https://a.test/?${key}&b`;
      expect([...file.matchAll(new RegExp(registered, "g"))].flat()).toEqual([key, key, key]);
    }
  });

  test("with any character changed, missing or added is none", async () => {
    const mint = new KeyMint([FIRST]);
    const { key } = await mint.mint(newAccountId());
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === "7" ? "8" : "7";
      expect(await mint.read(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
      expect(await mint.read(key.slice(0, at) + key.slice(at + 1))).toBeNull();
    }
    for (const wrong of [`${key}7`, ` ${key}`, `${key}\n`, key.toUpperCase(), ""]) {
      expect(await mint.read(wrong)).toBeNull();
    }
  });

  test("is accepted while its secret rotates out, and not after", async () => {
    const { key } = await new KeyMint([FIRST]).mint(newAccountId());
    expect(await new KeyMint([SECOND, FIRST]).read(key)).not.toBeNull();
    expect(await new KeyMint([THIRD, SECOND]).read(key)).toBeNull();
    const rotated = await new KeyMint([SECOND, FIRST]).mint(newAccountId());
    expect(await new KeyMint([SECOND]).read(rotated.key)).not.toBeNull();
  });
});

describe("the id of a key", () => {
  test("names its Account", () => {
    const accountId = newAccountId();
    expect(accountOfKeyId(newKeyId(accountId))).toBe(accountId);
    expect(accountOfKeyId(`key_${accountId}_chosen`)).toBe(accountId);
  });

  test("of any other form names none", () => {
    for (const id of ["", "key", "key_x_y", `key_${"a".repeat(16)}_`, "key_../../x"]) {
      expect(accountOfKeyId(id)).toBeNull();
    }
  });
});
