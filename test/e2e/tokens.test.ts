// Tokens near their end: lowered and announced, refused with figures that add up, never overspent,
// however many ask at once.
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Engine } from "./engine.ts";
import { type ApiError, errorOf, newPerson, type Person, type Tokens } from "./person.ts";
import { leaveAll, RawRequest } from "./raw-request.ts";

const stack = inject("stack");
const engine = new Engine(stack);
const prompt = "Call me Ishmael. Some years ago";
let promptTokens: number;

beforeAll(async () => {
  promptTokens = await engine.countTokens(prompt);
});

afterEach(async () => {
  leaveAll();
  await engine.disarm();
  await engine.idle();
});

interface Answer {
  choices: { finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

async function answered(response: Response): Promise<Answer> {
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

function expectAddsUp({ granted, spent, held, available }: Tokens): void {
  expect(available).toBe(granted - spent - held);
  expect(available).toBeGreaterThanOrEqual(0);
}

describe("near the end of the tokens", () => {
  it.each([
    { what: "text", given: prompt, stream: false },
    { what: "ids", given: [1, 2, 3, 4, 5, 6, 7, 8], stream: false },
    { what: "a stream", given: prompt, stream: true },
  ])("max_tokens is lowered to what is left and said so, for $what", async ({ given, stream }) => {
    const length = typeof given === "string" ? promptTokens : given.length;
    const person = await newPerson(stack, { tokens: length + 7 });
    const fields = { prompt: given, max_tokens: 100, ignore_eos: true, stream };
    const response = await person.complete(fields);
    expect(response.headers.get("x-max-tokens-lowered")).toBe("requested=100, applied=7");
    await response.text();
    const tokens = await person.settled();
    expect(tokens).toEqual({ granted: length + 7, spent: length + 7, held: 0, available: 0 });
  });

  it("max_tokens is lowered evenly over all choices", async () => {
    const person = await newPerson(stack, { tokens: 2 * promptTokens + 6 * 3 + 5 });
    const fields = { prompt: [prompt, prompt], n: 3, max_tokens: 50, ignore_eos: true };
    const response = await person.complete(fields);
    expect(response.headers.get("x-max-tokens-lowered")).toBe("requested=50, applied=3");
    const { usage } = await answered(response);
    expect(usage.completion_tokens).toBe(18);
    expect((await person.settled()).available).toBe(5);
  });

  it("min_tokens follows down", async () => {
    const person = await newPerson(stack, { tokens: promptTokens + 2 });
    const response = await person.complete({ prompt, max_tokens: 20, min_tokens: 20 });
    expect((await answered(response)).usage.completion_tokens).toBe(2);
  });

  it("a bound by bytes that does not fit is counted exactly before all else", async () => {
    const person = await newPerson(stack, { tokens: promptTokens + 4 });
    const response = await person.complete({ prompt, max_tokens: 4, ignore_eos: true });
    expect(response.headers.get("x-max-tokens-lowered")).toBeNull();
    expect((await answered(response)).usage.total_tokens).toBe(promptTokens + 4);
  });

  it("nothing is announced while all fits", async () => {
    const person = await newPerson(stack);
    const response = await person.complete({ prompt, max_tokens: 4 });
    expect(response.headers.get("x-max-tokens-lowered")).toBeNull();
    await response.text();
  });
});

describe("budget_exceeded", () => {
  it("carries figures that add up, and asks for no retry while nothing runs", async () => {
    const person = await newPerson(stack, { tokens: promptTokens });
    const response = await person.complete({ prompt, max_tokens: 4 });
    expect(response.status).toBe(429);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(response.headers.get("retry-after")).toBeNull();
    const { code, budget, message } = await errorOf(response);
    expect(code).toBe("budget_exceeded");
    const figures = { granted: promptTokens, spent: 0, held: 0, available: promptTokens };
    expect(budget).toEqual({ ...figures, needed: promptTokens + 1 });
    for (const figure of Object.values(budget ?? {})) expect(message).toContain(String(figure));
    expect((await person.tokens()).spent).toBe(0);
  });

  it("tells held apart from spent, and asks for a retry while that would free enough", async () => {
    const person = await newPerson(stack, { tokens: 50 });
    await answered(await person.complete({ prompt: [1, 2], max_tokens: 8, ignore_eos: true }));
    await engine.arm("hang");
    const runs = new RawRequest(person, { prompt: [1, 2], max_tokens: 38 });
    await engine.busy(1);
    const response = await person.complete({ prompt: [1, 2, 3], max_tokens: 1 });
    expect(response.headers.get("x-should-retry")).toBe("true");
    expect(response.headers.get("retry-after")).toBe("1");
    const { budget } = await errorOf(response);
    expect(budget).toEqual({ granted: 50, spent: 10, held: 40, available: 0, needed: 4 });
    runs.leave();
    expect(await person.settled()).toMatchObject({ spent: 12, held: 0, available: 38 });
  });

  it("asks for no retry when even all that is held would be too little", async () => {
    const person = await newPerson(stack, { tokens: 20 });
    await engine.arm("hang");
    const runs = new RawRequest(person, { prompt: [1, 2], max_tokens: 8 });
    await engine.busy(1);
    const response = await person.complete({ prompt: Array(30).fill(5), max_tokens: 1 });
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect((await errorOf(response)).budget).toMatchObject({ held: 10, needed: 31 });
    runs.leave();
    await person.settled();
  });

  it("ends with a Grant, also for who has spent all", async () => {
    const person = await newPerson(stack, { tokens: 5 });
    const asked = { prompt: [1, 2], max_tokens: 3, ignore_eos: true };
    await answered(await person.complete(asked));
    expect((await errorOf(await person.complete(asked))).code).toBe("budget_exceeded");
    await person.grant(5);
    await answered(await person.complete(asked));
    expect(await person.settled()).toEqual({ granted: 10, spent: 10, held: 0, available: 0 });
  });
});

describe("a Hold", () => {
  it("is the worst case and not the rest, so that others run beside it", async () => {
    const person = await newPerson(stack, { tokens: 100 });
    await engine.arm("hang");
    const runs = new RawRequest(person, { prompt: [1, 2], n: 2, max_tokens: 4 });
    await engine.busy(2);
    expect(await person.tokens()).toMatchObject({ spent: 0, held: 10, available: 90 });
    const beside = await person.complete({ prompt: [1, 2], max_tokens: 88, ignore_eos: true });
    expect(beside.headers.get("x-max-tokens-lowered")).toBeNull();
    await answered(beside);
    runs.leave();
    expect(await person.settled()).toMatchObject({ spent: 92, available: 8 });
  });

  it("is by bytes for text, which no tokenizer exceeds", async () => {
    const person = await newPerson(stack);
    await engine.arm("hang");
    const runs = new RawRequest(person, { prompt: "Käse", max_tokens: 4 });
    await engine.busy(1);
    expect((await person.tokens()).held).toBe(Buffer.byteLength("Käse") + 2 + 4);
    runs.leave();
    await person.settled();
  });
});

describe("a key's monthly limit", () => {
  it("is the narrower of the two, and leaves the person's other keys alone", async () => {
    const person = await newPerson(stack);
    const narrow = person.with(await person.mint({ monthly_token_limit: 12 }));
    const asked = { prompt: [1, 2], max_tokens: 8, ignore_eos: true };
    await answered(await narrow.complete(asked));
    await person.settled();
    const refused = await narrow.complete({ prompt: [1, 2], max_tokens: 1 });
    const { code, message, budget } = await errorOf(refused);
    expect(code).toBe("budget_exceeded");
    expect(message).toContain("key's monthly limit leaves too few tokens: granted 12, spent 10");
    expect(budget).toEqual({ granted: 12, spent: 10, held: 0, available: 2, needed: 3 });
    await answered(await person.complete(asked));
  });

  it("lowers max_tokens as the Account's tokens do", async () => {
    const person = await newPerson(stack);
    const narrow = person.with(await person.mint({ monthly_token_limit: 12 }));
    const response = await narrow.complete({ prompt: [1, 2], max_tokens: 50, ignore_eos: true });
    expect(response.headers.get("x-max-tokens-lowered")).toBe("requested=50, applied=10");
    expect((await answered(response)).usage.total_tokens).toBe(12);
  });
});

describe("many at once", () => {
  it("300 requests against tokens for 50 gives exactly 50", async () => {
    const person = await newPerson(stack, { tokens: 500, limits: { running: 300, waiting: 300 } });
    const asked = { prompt: [1, 2, 3, 4], max_tokens: 6, ignore_eos: true };
    const answers = await all(person, 300, asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals).toHaveLength(250);
    for (const { error } of refusals) {
      if (error?.budget === undefined) throw new Error(`refused by another limit: ${error?.code}`);
      expectAddsUp(error.budget);
    }
    expect(await person.settled()).toEqual({ granted: 500, spent: 500, held: 0, available: 0 });
  });

  it("requests that are lowered spend what there is, to the last token", async () => {
    const person = await newPerson(stack, { tokens: 333, limits: { running: 300, waiting: 300 } });
    const answers = await all(person, 100, { prompt, max_tokens: 11, ignore_eos: true });
    const usage = answers.reduce((sum, { tokens }) => sum + tokens, 0);
    const { spent, available } = await person.settled();
    expect(spent).toBe(usage);
    expect(available).toBeLessThan(promptTokens + 1);
  });

  it("figures add up at every moment", async () => {
    const person = await newPerson(stack, { tokens: 2_000 });
    const running = all(person, 100, { prompt, max_tokens: 30 });
    let done = false;
    void running.then(() => {
      done = true;
    });
    while (!done) expectAddsUp(await person.tokens());
    await running;
    expectAddsUp(await person.settled());
  });
});

async function all(
  person: Person,
  count: number,
  body: object,
): Promise<{ status: number; tokens: number; error: ApiError | null }[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await person.complete(body);
      const { status } = response;
      if (status !== 200) return { status, tokens: 0, error: await errorOf(response) };
      const { usage } = (await response.json()) as Answer;
      return { status, tokens: usage.total_tokens, error: null };
    }),
  );
}
