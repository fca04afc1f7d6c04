// Who leaves, or is shut out, at which moment, and what that costs.
import { describe, expect, test, vi } from "vitest";
import { Account } from "../../src/durable-objects/account/account.ts";
import {
  admin,
  Backend,
  complete,
  newPerson,
  type Person,
  read,
  settled,
  view,
} from "./calling.ts";

/** Leaves once `when` is met; the answer, if there was one before, breaks off. */
async function leaveWhen(asking: Promise<Response>, leave: AbortController, when: Promise<void>) {
  await when;
  leave.abort();
  const response = await asking.catch(() => null);
  await response?.text().catch(() => undefined);
}

async function waiting(person: Person, count: number): Promise<void> {
  const check = async () => expect((await view(person)).waiting).toBe(count);
  await vi.waitFor(check, { interval: 10 });
}

async function aborted(backend: Backend): Promise<void> {
  const check = async () => {
    const [seen] = await backend.seen("/v1/completions");
    expect(seen?.aborted).toBe(true);
  };
  await vi.waitFor(check, { interval: 10 });
}

describe("a client that leaves", () => {
  test("while it waits in line gives up its place and pays nothing", async () => {
    const person = await newPerson({ limits: { running: 1 } });
    const first = new Backend();
    const second = new Backend();
    await first.script({ holdBefore: true });
    const running = complete(person.key, { prompt: `${first.name} x` });
    await first.reached();
    const leave = new AbortController();
    const body = { prompt: `${second.name} x` };
    const asking = complete(person.key, body, { signal: leave.signal });
    await leaveWhen(asking, leave, waiting(person, 1));
    await waiting(person, 0);
    await first.go();
    expect((await running).status).toBe(200);
    expect(await settled(person)).toMatchObject({ spent: 7, held: 0 });
    expect(await second.seen()).toEqual([]);
  });

  test("while its prompt is counted takes no place in the line after", async () => {
    const admit = vi.spyOn(Account.prototype, "admit");
    const person = await newPerson({ tokens: 60, limits: { running: 1 } });
    const counted = new Backend();
    const running = new Backend();
    await counted.script({ holdTokenizer: true });
    await running.script({ holdBefore: true });
    const leave = new AbortController();
    const body = { prompt: `${counted.name} ${"word ".repeat(9)}` };
    const asking = complete(person.key, body, { signal: leave.signal });
    const counting = async () => expect(await counted.seen("/tokenize")).toHaveLength(1);
    await vi.waitFor(counting, { interval: 10 });
    const other = complete(person.key, { prompt: `${running.name} x` });
    await running.reached();
    await leaveWhen(asking, leave, Promise.resolve());
    await counted.go();
    const told = async () => expect((await counted.seen("/tokenize"))[0]?.answered).toBe(true);
    await vi.waitFor(told, { interval: 10 });
    await running.go();
    await (await other).text();
    expect(await settled(person)).toMatchObject({ spent: 7, held: 0 });
    expect(admit).toHaveBeenCalledTimes(2);
    admit.mockRestore();
  });

  test.each([false, true])(
    "before the answer begins (stream: %s) stops the backend and pays for the prompt",
    async (stream) => {
      const person = await newPerson();
      const backend = new Backend();
      await backend.script({ holdBefore: true });
      const leave = new AbortController();
      const body = { prompt: `${backend.name} x y`, stream };
      const asking = complete(person.key, body, { signal: leave.signal });
      await leaveWhen(asking, leave, backend.reached());
      await aborted(backend);
      expect(await settled(person)).toMatchObject({ spent: 3, held: 0 });
      expect((await view(person)).usage.totals).toMatchObject({
        ...{ requests: 1, prompt_tokens: 3, completion_tokens: 0 },
      });
    },
  );

  test("in the middle of a stream pays for the prompt and what it received", async () => {
    const person = await newPerson();
    const backend = new Backend();
    await backend.script({ holdAfter: 2 });
    const body = { prompt: `${backend.name} x y`, stream: true, max_tokens: 50 };
    const response = await complete(person.key, body);
    const reader = (response.body ?? new ReadableStream()).getReader();
    const decoder = new TextDecoder();
    let text = "";
    while ((text.match(/data: /g) ?? []).length < 2) {
      const { value } = await reader.read();
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
    await backend.go();
    await aborted(backend);
    const { spent, held } = await settled(person);
    expect(held).toBe(0);
    // Between the two it had read and what was on its way when it left.
    expect(spent).toBeGreaterThanOrEqual(5);
    expect(spent).toBeLessThan(53);
  });
});

describe("who is shut out while a Completion runs", () => {
  const ways: [string, (person: Person) => Promise<unknown>, string][] = [
    [
      "whose key is revoked",
      ({ keyId }) => read(admin("POST", `/keys/${keyId}/revoke`, { reason: "leaked" })),
      "invalid_api_key",
    ],
    [
      "who is disabled",
      ({ id }) => read(admin("PATCH", `/people/${id}`, { disabled: true })),
      "account_disabled",
    ],
  ];

  test.each(ways)("and %s gets the error inside the stream, and its end", async (_, shut, code) => {
    const person = await newPerson();
    const backend = new Backend();
    await backend.script({ holdAfter: 2 });
    const body = { prompt: `${backend.name} x y`, stream: true, max_tokens: 50 };
    const response = await complete(person.key, body);
    expect(response.status).toBe(200);
    await shut(person);
    const text = await response.text();
    const events = text.split("\n\n").filter((event) => event !== "");
    expect(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "")).toMatchObject({
      error: { code },
    });
    expect(text).not.toContain("[DONE]");
    expect(text).not.toContain('finish_reason":"');
    await aborted(backend);
    expect(await settled(person)).toMatchObject({ spent: 5, held: 0 });
  });

  test.each(ways)("and %s before the answer begins gets its status", async (_, shut, code) => {
    const person = await newPerson();
    const backend = new Backend();
    await backend.script({ holdBefore: true });
    const asking = complete(person.key, { prompt: `${backend.name} x y` });
    await backend.reached();
    await shut(person);
    const response = await asking;
    expect(response.status).toBe(code === "account_disabled" ? 403 : 401);
    expect(await response.json()).toMatchObject({ error: { code } });
    await aborted(backend);
    expect(await settled(person)).toMatchObject({ spent: 0, held: 0 });
  });

  test("and waits in line is refused at once", async () => {
    const person = await newPerson({ limits: { running: 1 } });
    const backend = new Backend();
    await backend.script({ holdBefore: true });
    const running = complete(person.key, { prompt: `${backend.name} x` });
    await backend.reached();
    const inLine = complete(person.key, { prompt: `${backend.name} y` });
    await waiting(person, 1);
    await read(admin("POST", `/keys/${person.keyId}/revoke`, { reason: "leaked" }));
    expect((await inLine).status).toBe(401);
    expect((await running).status).toBe(401);
    expect(await backend.seen("/v1/completions")).toHaveLength(1);
  });
});
